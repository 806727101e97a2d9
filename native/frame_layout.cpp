#include "frame_layout.h"

#include <memory>

namespace framejit {

const char* scope_name(Scope scope) {
    switch (scope) {
        case Scope::Local: return "local";
        case Scope::Cell: return "cell";
        case Scope::Free: return "free variable";
    }
    return "";
}

void SlotTable::add(Scope scope, PyObject* names, const std::vector<Slot>& slots) {
    for (size_t i = 0; i < slots.size(); ++i) {
        Places& places = places_[PyTuple_GET_ITEM(names, i)];
        places.in[static_cast<int>(scope)] = true;
        places.slot[static_cast<int>(scope)] = slots[i];
    }
}

SlotTable* SlotTable::build(PyCodeObject* code) {
    Ref varnames = Ref::steal(code_varnames(code));
    Ref cellvars = Ref::steal(code_cellvars(code));
    Ref freevars = Ref::steal(code_freevars(code));
    if (!varnames || !cellvars || !freevars) return nullptr;

    auto table = std::make_unique<SlotTable>();
    const char* code_name = PyUnicode_AsUTF8(code->co_name);
    if (code_name == nullptr) return nullptr;
    table->code_name_ = code_name;

    const int arguments = code_argument_slots(code);
    const int nlocals = static_cast<int>(PyTuple_GET_SIZE(varnames.get()));
    const int ncells = static_cast<int>(PyTuple_GET_SIZE(cellvars.get()));
    const int nfree = static_cast<int>(PyTuple_GET_SIZE(freevars.get()));

    std::unordered_map<PyObject*, int> argument_of;
    std::vector<Slot> locals(nlocals), cells(ncells), frees(nfree);
    for (int i = 0; i < nlocals && i < arguments; ++i) {
        argument_of[PyTuple_GET_ITEM(varnames.get(), i)] = i;
        locals[i] = {Storage::Fast, i};
    }
    for (int i = 0; i < ncells; ++i) {
        auto argument = argument_of.find(PyTuple_GET_ITEM(cellvars.get(), i));
        if (argument == argument_of.end()) continue;
#if PY_VERSION_HEX >= 0x030B0000
        cells[i] = {Storage::Fast, argument->second};
#else
        // The argument has already moved: its own slot is null and the cell holds the value.
        cells[i] = {Storage::Boxed, nlocals + i};
        locals[argument->second] = cells[i];
#endif
    }
    for (int i = 0; i < nfree; ++i) {
#if PY_VERSION_HEX >= 0x030B0000
        frees[i] = {Storage::Closure, i};
#else
        frees[i] = {Storage::Boxed, nlocals + ncells + i};
#endif
    }

    // f_locals shows variables in localsplus order; on 3.10 an argument that is a cell comes with
    // the cells, where its value is.
    auto append = [&](PyObject* names, const std::vector<Slot>& slots, Storage left_out) {
        for (size_t i = 0; i < slots.size(); ++i) {
            if (slots[i].storage == left_out || slots[i].storage == Storage::Unbound) continue;
            table->variables_.push_back({PyTuple_GET_ITEM(names, i), slots[i]});
        }
    };
    append(varnames.get(), locals, Storage::Boxed);
#if PY_VERSION_HEX < 0x030B0000
    append(cellvars.get(), cells, Storage::Unbound);
#endif
    append(freevars.get(), frees, Storage::Unbound);

    table->add(Scope::Local, varnames.get(), locals);
    table->add(Scope::Cell, cellvars.get(), cells);
    table->add(Scope::Free, freevars.get(), frees);
    return table.release();
}

bool SlotTable::find(Scope scope, PyObject* name, Slot* slot) const {
    // Names in code objects are interned, so that identity is equality.
    Py_INCREF(name);
    PyObject* interned = name;
    PyUnicode_InternInPlace(&interned);
    auto found = places_.find(interned);
    Py_DECREF(interned);

    if (found != places_.end() && found->second.in[static_cast<int>(scope)]) {
        *slot = found->second.slot[static_cast<int>(scope)];
        return true;
    }
    if (found == places_.end()) {
        PyErr_Format(PyExc_ValueError,
                     "%s() has no variable %R; use Source.global_(%R) if it is a global name",
                     code_name_.c_str(), name, name);
        return false;
    }
    for (Scope other : {Scope::Local, Scope::Cell, Scope::Free}) {
        if (!found->second.in[static_cast<int>(other)]) continue;
        PyErr_Format(PyExc_ValueError,
                     "%s() has no %s %R: it is a %s there; use Source.%s(%R)", code_name_.c_str(),
                     scope_name(scope), name, scope_name(other),
                     other == Scope::Free ? "free" : scope_name(other), name);
        break;
    }
    return false;
}

}  // namespace framejit
