// Guard: one fact about one or several sources, as people state it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "global_state.h"
#include "relation.h"
#include "source.h"
#include "tensor_probe.h"

namespace framejit {

enum class Fact : uint8_t {
    Type,
    Identity,
    Absent,
    Present,
    Equals,
    Length,
    DictKeys,
    SetContents,
    Contains,
    Lacks,
    Tensor,
    Same,
    Distinct,
    Relation,
    GlobalState,
    Predicate,       // a Python callable of the value
    FramePredicate,  // a Python callable of the frame
};

// Immutable once built. The payload that a fact uses is the one named after it; `object` serves
// Type, Identity, Equals, DictKeys (a tuple), SetContents, Contains, Lacks and the predicates.
struct Guard {
    Fact fact;
    std::vector<SourcePtr> sources;
    Ref object;
    Py_ssize_t length = 0;
    std::shared_ptr<const TensorFact> tensor;
    std::shared_ptr<const Relation> relation;
    std::shared_ptr<const GlobalState> state;

    std::string source_text() const;    // what is guarded, as Python text
    std::string expected_text() const;  // what is demanded of it
};

using GuardPtr = std::shared_ptr<const Guard>;

// Builders; each throws pybind11::error_already_set when its arguments do not fit.
GuardPtr make_guard(Fact fact, SourcePtr source, PyObject* object);
GuardPtr make_length_guard(SourcePtr source, Py_ssize_t length);
GuardPtr make_tensor_guard(SourcePtr source, PyObject* example, PyObject* sizes,
                           PyObject* strides);
GuardPtr make_alias_guard(Fact fact, std::vector<SourcePtr> sources);
GuardPtr make_relation_guard(ExprPtr relation);
GuardPtr make_state_guard(PyObject* getters);

}  // namespace framejit
