// SlotTable: where each variable of a code object lies in a frame that has not yet begun.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compat.h"
#include "ref.h"

namespace framejit {

// How a variable is reached when the evaluation hook gets the frame.
enum class Storage : uint8_t {
    Fast,      // the value itself lies in localsplus
    Boxed,     // a cell lies in localsplus (3.10, which builds cells before evaluation)
    Closure,   // a cell lies in the function's closure (3.11+, COPY_FREE_VARS has not run)
    Unbound,   // no value yet: a local or cell that the body assigns
    Register,  // not a variable: a value that a guard program has computed
};

struct Slot {
    Storage storage = Storage::Unbound;
    int index = -1;
};

struct Variable {
    PyObject* name;  // borrowed from the code object
    Slot slot;
};

enum class Scope : uint8_t { Local, Cell, Free };
const char* scope_name(Scope scope);

// Built once for a code object and owned by what hangs on its co_extra, so it lives exactly as
// long as the code object does.
class SlotTable {
public:
    // Null with a Python exception when a name tuple cannot be built.
    static SlotTable* build(PyCodeObject* code);

    // The slot of `name` as a local (co_varnames), cell (co_cellvars) or free variable
    // (co_freevars), in constant time. False with a ValueError that says where the name is, if
    // anywhere.
    bool find(Scope scope, PyObject* name, Slot* slot) const;

    // Every variable in the order in which frame.f_locals shows them.
    const std::vector<Variable>& variables() const { return variables_; }

private:
    struct Places {
        bool in[3] = {false, false, false};
        Slot slot[3];
    };

    void add(Scope scope, PyObject* names, const std::vector<Slot>& slots);

    std::unordered_map<PyObject*, Places> places_;  // keyed by interned name
    std::vector<Variable> variables_;
    std::string code_name_;
};

}  // namespace framejit
