// The one traversal of a guard program. What differs between the fast and the explaining check is
// only whether a miss is put into words; what differs between the two designs is only how a
// variable is read.

#include <algorithm>
#include <memory>

#include "constant.h"
#include "errors.h"
#include "frame_handle.h"
#include "guard_program.h"

namespace framejit {

const char* miss_name(Miss miss) {
    switch (miss) {
        case Miss::Mismatch: return "mismatch";
        case Miss::Missing: return "missing";
        case Miss::Error: return "error";
        case Miss::Died: return "died";
    }
    return "";
}

std::string Failure::text() const {
    return source + ": expected " + expected + ", got " + actual;
}

namespace {

struct FrameReader {
    VariableReader variables;
    PyObject* load(const Operand& operand) const {
        return variables.load(operand.storage, operand.index);
    }
};

struct DictReader {
    PyObject* locals;
    PyObject* load(const Operand& operand) const {
        // Steps that start from no variable have no name.
        return operand.name ? PyDict_GetItemWithError(locals, operand.name) : nullptr;
    }
};

PyObject* function_field(PyObject* value, PyObject* PyFunctionObject::*field) {
    return PyFunction_Check(value) ? reinterpret_cast<PyFunctionObject*>(value)->*field : nullptr;
}

PyObject* tuple_at(PyObject* tuple, Py_ssize_t index) {
    return tuple != nullptr && PyTuple_Check(tuple) && index < PyTuple_GET_SIZE(tuple)
               ? PyTuple_GET_ITEM(tuple, index)
               : nullptr;
}

// The key at a place in a dict's order. A subclass may define its own order.
Ref dict_key_at(PyObject* value, Py_ssize_t index) {
    if (!PyDict_Check(value)) return Ref();
    if (PyDict_CheckExact(value)) {
        Py_ssize_t position = 0;
        PyObject *key, *unused;
        while (PyDict_Next(value, &position, &key, &unused)) {
            if (index-- == 0) return Ref::borrow(key);
        }
        return Ref();
    }
    Ref keys = Ref::steal(PySequence_List(value));
    if (!keys || index >= PyList_GET_SIZE(keys.get())) return Ref();
    return Ref::borrow(PyList_GET_ITEM(keys.get(), index));
}

// A class has no dict of this kind: what it shows as __dict__ is a view, and from 3.12 on the
// place where its dict would lie can be empty.
Ref instance_dict(PyObject* value) {
    if (PyType_Check(value)) return Ref();
    PyObject** slot = _PyObject_GetDictPtr(value);
    if (slot == nullptr) return Ref();
    if (*slot != nullptr) return Ref::borrow(*slot);
    return Ref::steal(PyObject_GenericGetDict(value, nullptr));
}

// Keys in order: constants exactly, other objects by identity.
int same_keys(PyObject* value, PyObject* expected) {
    const Py_ssize_t size = PyTuple_GET_SIZE(expected);
    auto same = [](PyObject* key, PyObject* wanted) {
        return key == wanted || (is_constant(wanted) && same_constant(key, wanted));
    };
    if (PyDict_CheckExact(value)) {
        if (PyDict_GET_SIZE(value) != size) return 0;
        Py_ssize_t position = 0, i = 0;
        PyObject *key, *unused;
        while (PyDict_Next(value, &position, &key, &unused)) {
            if (!same(key, PyTuple_GET_ITEM(expected, i++))) return 0;
        }
        return 1;
    }
    if (!PyDict_Check(value)) return 0;
    Ref keys = Ref::steal(PySequence_List(value));
    if (!keys) return -1;
    if (PyList_GET_SIZE(keys.get()) != size) return 0;
    for (Py_ssize_t i = 0; i < size; ++i) {
        if (!same(PyList_GET_ITEM(keys.get(), i), PyTuple_GET_ITEM(expected, i))) return 0;
    }
    return 1;
}

// Negative with an exception when the object has no length.
Py_ssize_t length_of(PyObject* value) {
    if (PyTuple_CheckExact(value)) return PyTuple_GET_SIZE(value);
    if (PyList_CheckExact(value)) return PyList_GET_SIZE(value);
    if (PyDict_CheckExact(value)) return PyDict_GET_SIZE(value);
    return PyObject_Size(value);
}

// A set of addresses with room for a known number of them.
class AddressSet {
public:
    explicit AddressSet(size_t count) {
        while (capacity_ < 2 * count) capacity_ *= 2;
        if (capacity_ > kInline) heap_.reset(new PyObject*[capacity_]);
        slots_ = heap_ ? heap_.get() : inline_;
        std::fill(slots_, slots_ + capacity_, nullptr);
    }
    // False if it is already there.
    bool insert(PyObject* object) {
        size_t at = (reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15u >> 32;
        for (;; ++at) {
            PyObject*& slot = slots_[at & (capacity_ - 1)];
            if (slot == object) return false;
            if (slot == nullptr) {
                slot = object;
                return true;
            }
        }
    }

private:
    static constexpr size_t kInline = 256;
    size_t capacity_ = 16;
    PyObject* inline_[kInline];
    std::unique_ptr<PyObject*[]> heap_;
    PyObject** slots_ = nullptr;
};

}  // namespace

template <class Reader, bool kExplain>
class Machine {
public:
    Machine(const GuardProgram& program, FrameView& view, const SlotTable& table, Reader reader,
            std::unique_ptr<Failure>* failure)
        : program_(program), view_(view), table_(table), reader_(reader), failure_(failure) {
        if (program.register_count_ > kInline) {
            heap_.reset(new PyObject*[program.register_count_]);
            registers_ = heap_.get();
        } else {
            registers_ = inline_;
        }
    }
    ~Machine() {
        for (size_t i = 0; i < loaded_; ++i) Py_XDECREF(registers_[i]);
    }

    bool run() {
        for (const Instruction& step : program_.instructions_) {
            // Without leaving the loop, where they hold.
            if (step.is_comparison() && step.holds_of(fetch(step.operand))) continue;
            if (!execute(step)) return false;
        }
        return true;
    }

private:
    static constexpr size_t kInline = 64;

    PyObject* fetch(const Operand& operand) const {
        if (operand.storage == Storage::Register) return registers_[operand.index];
        return reader_.load(operand);
    }

    bool execute(const Instruction& step);
    bool load(const Instruction& step, PyObject* base);
    // Not inlined: their tables would weigh on the stack of every check.
    [[gnu::noinline]] bool check_operands(const Instruction& step);
    [[gnu::noinline]] bool check_relation(const Instruction& step);
    bool leaf_value(const Instruction& step, const Expr& leaf, PyObject* value, LeafValue* out);
    bool check_called(const Instruction& step, PyObject* argument);

    // Registers are filled in order, so that `loaded_` tells which to release.
    bool keep(Ref value) {
        registers_[loaded_++] = value.release();
        return true;
    }

    template <class Actual>
    bool miss(const Instruction& step, Miss kind, Actual actual) {
        if (kExplain || kind == Miss::Error) {
            *failure_ = std::make_unique<Failure>(
                Failure{static_cast<int>(step.guard), kind, program_.source_text(step.guard),
                        program_.expected_text(step.guard), actual()});
        }
        return false;
    }
    bool mismatch(const Instruction& step, PyObject* value) {
        return miss(step, Miss::Mismatch, [&] { return short_repr(value); });
    }
    bool missing(const Instruction& step) {
        return miss(step, Miss::Missing, [] { return std::string("nothing there"); });
    }
    bool error(const Instruction& step) { return miss(step, Miss::Error, take_error); }
    // For answers of 1, 0, and -1 with an exception.
    bool answer(const Instruction& step, int answer, PyObject* value) {
        if (answer > 0) return true;
        return answer < 0 ? error(step) : mismatch(step, value);
    }

    const GuardProgram& program_;
    FrameView& view_;
    const SlotTable& table_;
    Reader reader_;
    std::unique_ptr<Failure>* failure_;
    size_t loaded_ = 0;
    PyObject** registers_;
    PyObject* inline_[kInline];
    std::unique_ptr<PyObject*[]> heap_;
};

template <class Reader, bool kExplain>
bool Machine<Reader, kExplain>::execute(const Instruction& step) {
    PyObject* value = fetch(step.operand);
    if (step.op >= Op::LoadGlobal) return load(step, value);
    switch (step.op) {
        case Op::CheckAbsent: return value == nullptr || mismatch(step, value);
        case Op::CheckSame:
        case Op::CheckDistinct: return check_operands(step);
        case Op::CheckRelation: return check_relation(step);
        case Op::CheckGlobalState: {
            std::string expected, actual;
            const int same = step.state->check<kExplain>(&expected, &actual);
            if (same > 0) return true;
            if (same < 0) return error(step);
            miss(step, Miss::Mismatch, [&] { return actual; });
            if (kExplain) (*failure_)->expected = expected;
            return false;
        }
        case Op::CheckFramePredicate: {
            Ref handle = frame_handle(view_, table_);
            if (!handle) return error(step);
            return check_called(step, handle.get());
        }
        default: break;
    }
    if (value == nullptr) return missing(step);
    switch (step.op) {
        case Op::CheckType:
            if (reinterpret_cast<PyObject*>(Py_TYPE(value)) == step.object) return true;
            return miss(step, Miss::Mismatch, [&] {
                return "type " + short_repr(reinterpret_cast<PyObject*>(Py_TYPE(value)));
            });
        case Op::CheckIdentity: return value == step.object || mismatch(step, value);
        case Op::CheckPresent: return true;
        case Op::CheckEquals:
            return same_constant(value, step.object) || mismatch(step, value);
        default: break;
    }
    // From here on other code may run, and rebind the cell or dict that holds the value.
    Ref held = Ref::borrow(value);
    switch (step.op) {
        case Op::CheckTensor: {
            TensorMismatch found;
            const int same = TensorProbe::ready()->check<kExplain>(*step.tensor, value, &found);
            if (same > 0) return true;
            if (same < 0) return error(step);
            miss(step, Miss::Mismatch, [&] { return found.actual; });
            if (kExplain) (*failure_)->expected = found.expected;
            return false;
        }
        case Op::CheckLength:
        case Op::CheckDictLength: {
            if (step.op == Op::CheckDictLength) {
                held = instance_dict(value);
                if (!held) return PyErr_Occurred() ? error(step) : missing(step);
            }
            const Py_ssize_t length = length_of(held.get());
            if (length < 0) return error(step);
            if (length == step.number) return true;
            return miss(step, Miss::Mismatch,
                        [&] { return "length " + std::to_string(length); });
        }
        case Op::CheckDictKeys: return answer(step, same_keys(value, step.object), value);
        case Op::CheckSetContents:
            return (Py_TYPE(value) == Py_TYPE(step.object) &&
                    same_set_contents(value, step.object)) ||
                   mismatch(step, value);
        case Op::CheckContains:
            return answer(step, PySequence_Contains(value, step.object), value);
        case Op::CheckLacks: {
            const int contains = PySequence_Contains(value, step.object);
            return answer(step, contains < 0 ? contains : !contains, value);
        }
        default: return check_called(step, value);
    }
}

template <class Reader, bool kExplain>
bool Machine<Reader, kExplain>::load(const Instruction& step, PyObject* base) {
    PyObject* dict = nullptr;
    switch (step.op) {
        case Op::LoadGlobal: dict = view_.globals(); break;
        case Op::LoadBuiltin: dict = view_.builtins(); break;
        default:
            if (base == nullptr) return keep(Ref());
    }
    Ref held = Ref::borrow(base);
    Ref value;
    PyObject* absence = nullptr;  // the exception that means that there is nothing
    switch (step.op) {
        case Op::LoadGlobal:
        case Op::LoadBuiltin:
            if (PyDict_Check(dict)) {
                value = Ref::borrow(PyDict_GetItemWithError(dict, step.object));
            } else {
                value = Ref::steal(PyObject_GetItem(dict, step.object));
                absence = PyExc_LookupError;
            }
            break;
        case Op::LoadAttribute:
            value = Ref::steal(PyObject_GetAttr(base, step.object));
            absence = PyExc_AttributeError;
            break;
        case Op::LoadItem:
            if (PyDict_CheckExact(base)) {
                value = Ref::borrow(PyDict_GetItemWithError(base, step.object));
            } else {
                value = Ref::steal(PyObject_GetItem(base, step.object));
                absence = PyExc_LookupError;
            }
            break;
        case Op::LoadDictKey: value = dict_key_at(base, step.number); break;
        case Op::LoadClosureCell: {
            PyObject* cell =
                tuple_at(function_field(base, &PyFunctionObject::func_closure), step.number);
            value = Ref::borrow(cell == nullptr ? nullptr : cell_content(cell));
            break;
        }
        case Op::LoadDefault:
            value = Ref::borrow(
                tuple_at(function_field(base, &PyFunctionObject::func_defaults), step.number));
            break;
        case Op::LoadKeywordDefault: {
            PyObject* defaults = function_field(base, &PyFunctionObject::func_kwdefaults);
            if (defaults != nullptr && PyDict_Check(defaults)) {
                value = Ref::borrow(PyDict_GetItemWithError(defaults, step.object));
            }
            break;
        }
        case Op::LoadType: value = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(base))); break;
        default: value = instance_dict(base);
    }
    if (!value && PyErr_Occurred()) {
        if (absence == nullptr || !PyErr_ExceptionMatches(absence)) return error(step);
        PyErr_Clear();
    }
    return keep(std::move(value));
}

template <class Reader, bool kExplain>
bool Machine<Reader, kExplain>::check_operands(const Instruction& step) {
    const std::vector<Operand>& all = step.operands->all;
    const bool want_same = step.op == Op::CheckSame;
    PyObject* first = fetch(all[0]);
    AddressSet seen(want_same ? 0 : all.size());
    for (const Operand& operand : all) {
        PyObject* value = fetch(operand);
        if (value == nullptr) return missing(step);
        if (want_same ? value == first : seen.insert(value)) continue;
        return miss(step, Miss::Mismatch, [&] {
            // The repr of one can take the other out of where it was found.
            const Ref one = Ref::borrow(first), other = Ref::borrow(value);
            return want_same ? short_repr(first) + " and another object, " + short_repr(value)
                             : short_repr(value) + " twice";
        });
    }
    return true;
}

// False when the leaf has no value or that is no int; the miss is already told.
template <class Reader, bool kExplain>
bool Machine<Reader, kExplain>::leaf_value(const Instruction& step, const Expr& leaf,
                                           PyObject* value, LeafValue* out) {
    if (value == nullptr) return missing(step);
    Ref number = Ref::borrow(value);
    if (leaf.op == ExprOp::Size) {
        const TensorProbe* probe = TensorProbe::ready();
        if (probe != nullptr && probe->size(value, leaf.dim, &out->small)) return true;
        PyObject* absence = PyExc_AttributeError;
        Ref shape = Ref::steal(PyObject_GetAttrString(value, "shape"));
        if (shape) {
            number = Ref::steal(PySequence_GetItem(shape.get(), leaf.dim));
            absence = PyExc_LookupError;
        } else {
            number = Ref();
        }
        if (!number) {
            if (!PyErr_ExceptionMatches(absence)) return error(step);
            PyErr_Clear();
            return missing(step);
        }
    }
    if (!PyLong_CheckExact(number.get())) {
        return miss(step, Miss::Mismatch, [&] {
            return leaf.text + " = " + short_repr(number.get()) + ", which is no int";
        });
    }
    int overflow = 0;
    out->small = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (overflow != 0) out->big = number;
    return true;
}

template <class Reader, bool kExplain>
bool Machine<Reader, kExplain>::check_relation(const Instruction& step) {
    const Relation& relation = *step.operands->relation;
    std::vector<LeafValue> leaves(relation.leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
        PyObject* value = fetch(step.operands->all[i]);
        if (!leaf_value(step, *relation.leaves[i], value, &leaves[i])) return false;
    }
    const int holds = evaluate_relation(relation, leaves);
    if (holds > 0) return true;
    if (holds < 0) return error(step);
    return miss(step, Miss::Mismatch, [&] {
        std::string text;
        for (size_t i = 0; i < leaves.size(); ++i) {
            if (i > 0) text += ", ";
            text += relation.leaves[i]->text + " = " +
                    (leaves[i].big ? short_repr(leaves[i].big.get())
                                   : std::to_string(leaves[i].small));
        }
        return text.empty() ? std::string("false") : text;
    });
}

template <class Reader, bool kExplain>
bool Machine<Reader, kExplain>::check_called(const Instruction& step, PyObject* argument) {
    Ref result = Ref::steal(PyObject_CallOneArg(step.object, argument));
    if (!result) return error(step);
    const int truth = PyObject_IsTrue(result.get());
    return answer(step, truth, argument);
}

template <bool kExplain>
bool GuardProgram::check(FrameView& view, const SlotTable& table, Design design,
                         std::unique_ptr<Failure>* failure) const {
    if (dead_) {
        *failure = std::make_unique<Failure>(death_);
        return false;
    }
    if (design == Design::Frame) {
        return Machine<FrameReader, kExplain>(*this, view, table, {view.variables()}, failure)
            .run();
    }
    PyObject* locals = view.locals(table);
    if (locals == nullptr) {
        *failure = std::make_unique<Failure>(
            Failure{-1, Miss::Error, "locals()", "a dict of the locals", take_error()});
        return false;
    }
    return Machine<DictReader, kExplain>(*this, view, table, {locals}, failure).run();
}

template bool GuardProgram::check<false>(FrameView&, const SlotTable&, Design,
                                         std::unique_ptr<Failure>*) const;
template bool GuardProgram::check<true>(FrameView&, const SlotTable&, Design,
                                        std::unique_ptr<Failure>*) const;

}  // namespace framejit
