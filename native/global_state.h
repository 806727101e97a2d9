// GlobalState: the process-wide and thread-wide switches under which a graph was compiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compat.h"
#include "ref.h"

namespace framejit {

// A snapshot of named state, taken when it is built, compared when it is checked.
//
// With torch imported it holds what torch.compile guards on for every graph: torch's own
// GlobalStateGuard (grad mode, autocast, deterministic algorithms, reduced precision, threads,
// default dtype, torch-function switches), inference mode, the dispatch-key sets of the thread,
// the stacks of torch-function, torch-dispatch and functorch modes, saved-tensor hooks and the
// default device. Further state comes from the caller as getters.
class GlobalState {
public:
    // `getters`: a dict of name to zero-argument callable. Throws pybind11::error_already_set if
    // a getter raises, and ValueError when there is neither torch nor a getter.
    static std::shared_ptr<const GlobalState> capture(PyObject* getters);

    // 1 if all is as captured, 0 if not, -1 with a Python exception. On 0 an explaining check
    // fills both texts.
    template <bool kExplain>
    int check(std::string* expected, std::string* actual) const;

    // Names and values, for people.
    std::vector<std::pair<std::string, std::string>> items() const;

private:
    // One value: what a call yields, or what a module's dict holds under a name.
    struct Item {
        std::string name;
        Ref callable, argument;  // the callable takes `argument`, or nothing
        Ref dict, key;
        PyCFunction direct = nullptr;  // the C function, when it takes no arguments
        PyObject* self = nullptr;
        Ref expected;

        Ref read() const;
    };

    void capture_torch(PyObject* torch);
    // False if this version of torch has no such function, or not with that argument.
    bool add_call(const char* name, PyObject* owner, const char* attribute, PyObject* argument,
                  std::vector<Item>* items);
    void add(Item item, std::vector<Item>* items);

    Ref torch_guard_;            // a GlobalStateGuard
    PyCFunction torch_check_ = nullptr;  // its check(), as C
    std::vector<Item> covered_;  // what torch_guard_ checks, to say which of it has changed
    std::vector<Item> items_;
    uint64_t dispatch_keys_[2] = {0, 0};  // included and excluded, as torch stores them
    bool reads_dispatch_keys_ = false;
};

}  // namespace framejit
