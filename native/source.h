// Source: where a guarded value comes from, as a person would write it in Python.
#pragma once

#include <memory>
#include <string>

#include "frame_layout.h"
#include "ref.h"

namespace framejit {

enum class SourceKind : uint8_t {
    Local,
    Cell,
    Free,
    Global,
    Builtin,
    Attribute,
    Item,
    DictKey,
    ClosureCell,
    Default,
    KeywordDefault,
    Type,
    InstanceDict,
};

// Immutable. `key` is the variable's or attribute's name, the subscript or the keyword; `index`
// counts for DictKey, ClosureCell and Default.
struct Source {
    SourceKind kind;
    std::shared_ptr<const Source> base;
    Ref key;
    Py_ssize_t index = 0;
    std::string text;  // a Python expression that yields the value

    bool is_root() const { return base == nullptr; }
};

using SourcePtr = std::shared_ptr<const Source>;

// Both throw pybind11::error_already_set (TypeError, ValueError) when the key does not fit.
SourcePtr make_root(SourceKind kind, PyObject* name);
SourcePtr derive(SourceKind kind, SourcePtr base, PyObject* key, Py_ssize_t index);

}  // namespace framejit
