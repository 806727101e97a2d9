#include "guard.h"

#include <pybind11/pybind11.h>

#include "constant.h"
#include "errors.h"

namespace framejit {

namespace {

// What `object` has to be for the fact, and what to use instead; null if it fits.
const char* misfit(Fact fact, PyObject* object) {
    switch (fact) {
        case Fact::Type:
            return PyType_Check(object) ? nullptr : "Guard.type needs a class; got ";
        case Fact::Equals:
            return is_constant(object) ? nullptr
                                       : "Guard.equals compares constants only (None, bool, int, "
                                         "float, complex, str, bytes, and tuples and frozensets of "
                                         "these); use Guard.identity or Guard.predicate for ";
        case Fact::DictKeys:
            return PyTuple_CheckExact(object) ? nullptr
                                              : "Guard.dict_keys needs the keys as a tuple; got ";
        case Fact::SetContents: {
            if (!PyFrozenSet_CheckExact(object) && !PySet_CheckExact(object)) {
                return "Guard.set_contents needs a set or a frozenset; got ";
            }
            Ref frozen = Ref::steal(PyFrozenSet_New(object));
            return frozen && is_constant(frozen.get())
                       ? nullptr
                       : "Guard.set_contents compares constants only; use Guard.length and "
                         "Guard.contains for ";
        }
        case Fact::Predicate:
        case Fact::FramePredicate:
            return PyCallable_Check(object) ? nullptr : "a predicate must be callable; got ";
        default: return nullptr;
    }
}

std::string joined(const std::vector<SourcePtr>& sources) {
    std::string text;
    for (const SourcePtr& source : sources) {
        if (!text.empty()) text += ", ";
        text += source->text;
    }
    return text;
}

}  // namespace

std::string Guard::source_text() const {
    switch (fact) {
        case Fact::Relation: return relation->root->text;
        case Fact::GlobalState: return "global state";
        case Fact::FramePredicate: return "locals()";
        default: return joined(sources);
    }
}

std::string Guard::expected_text() const {
    switch (fact) {
        case Fact::Type: return "type " + short_repr(object.get());
        case Fact::Identity: return "the object " + short_repr(object.get());
        case Fact::Absent: return "absent";
        case Fact::Present: return "present";
        case Fact::Equals: return short_repr(object.get());
        case Fact::Length: return "length " + std::to_string(length);
        case Fact::DictKeys: return "keys " + short_repr(object.get());
        case Fact::SetContents: return short_repr(object.get());
        case Fact::Contains: return "contains " + short_repr(object.get());
        case Fact::Lacks: return "does not contain " + short_repr(object.get());
        case Fact::Tensor: return tensor->text();
        case Fact::Same: return "the same object";
        case Fact::Distinct: return "different objects";
        case Fact::Relation: return "true";
        case Fact::GlobalState: return "as captured";
        case Fact::Predicate:
        case Fact::FramePredicate: return "true of " + short_repr(object.get());
    }
    return "";
}

GuardPtr make_guard(Fact fact, SourcePtr source, PyObject* object) {
    if (const char* message = misfit(fact, object)) raise(PyExc_TypeError, message + short_repr(object));
    auto guard = std::make_shared<Guard>();
    guard->fact = fact;
    if (source) guard->sources.push_back(std::move(source));
    // A set that the caller goes on changing must not change the guard.
    guard->object = fact == Fact::SetContents && PySet_CheckExact(object)
                        ? Ref::steal(PySet_New(object))
                        : Ref::borrow(object);
    if (object != nullptr && !guard->object) throw pybind11::error_already_set();
    return guard;
}

GuardPtr make_length_guard(SourcePtr source, Py_ssize_t length) {
    if (length < 0) {
        raise(PyExc_ValueError, "no object has the length " + std::to_string(length) +
                                   "; give the length that " + source->text + " must have");
    }
    auto guard = std::make_shared<Guard>();
    guard->fact = Fact::Length;
    guard->sources.push_back(std::move(source));
    guard->length = length;
    return guard;
}

GuardPtr make_tensor_guard(SourcePtr source, PyObject* example, PyObject* sizes,
                           PyObject* strides) {
    auto guard = std::make_shared<Guard>();
    guard->fact = Fact::Tensor;
    guard->sources.push_back(std::move(source));
    guard->tensor =
        std::make_shared<TensorFact>(TensorProbe::get()->fact(example, sizes, strides));
    return guard;
}

GuardPtr make_alias_guard(Fact fact, std::vector<SourcePtr> sources) {
    if (sources.size() < 2) {
        raise(PyExc_ValueError, "aliasing is between sources; give at least two");
    }
    auto guard = std::make_shared<Guard>();
    guard->fact = fact;
    guard->sources = std::move(sources);
    return guard;
}

GuardPtr make_relation_guard(ExprPtr relation) {
    auto guard = std::make_shared<Guard>();
    guard->fact = Fact::Relation;
    guard->relation = std::make_shared<Relation>(flatten_relation(std::move(relation)));
    for (const Expr* leaf : guard->relation->leaves) guard->sources.push_back(leaf->source);
    return guard;
}

GuardPtr make_state_guard(PyObject* getters) {
    auto guard = std::make_shared<Guard>();
    guard->fact = Fact::GlobalState;
    guard->state = GlobalState::capture(getters);
    return guard;
}

}  // namespace framejit
