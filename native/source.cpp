#include "source.h"

#include <pybind11/pybind11.h>

#include "errors.h"

namespace framejit {

namespace {

std::string name_text(PyObject* name) {
    const char* utf8 = PyUnicode_AsUTF8(name);
    if (utf8 == nullptr) throw pybind11::error_already_set();
    return utf8;
}

}  // namespace

SourcePtr make_root(SourceKind kind, PyObject* name) {
    if (!PyUnicode_CheckExact(name)) {
        raise(PyExc_TypeError, "a variable's name must be a str, not " + short_repr(name));
    }
    auto source = std::make_shared<Source>();
    source->kind = kind;
    PyObject* interned = Py_NewRef(name);
    PyUnicode_InternInPlace(&interned);
    source->key = Ref::steal(interned);
    switch (kind) {
        case SourceKind::Global: source->text = "globals()[" + short_repr(name) + "]"; break;
        case SourceKind::Builtin: source->text = "builtins." + name_text(name); break;
        default: source->text = name_text(name);
    }
    return source;
}

SourcePtr derive(SourceKind kind, SourcePtr base, PyObject* key, Py_ssize_t index) {
    auto source = std::make_shared<Source>();
    source->kind = kind;
    source->key = Ref::borrow(key);
    source->index = index;
    if (index < 0) {
        raise(PyExc_ValueError, "index " + std::to_string(index) +
                                   " is out of range: count from 0 in " + base->text);
    }
    const std::string at = "[" + std::to_string(index) + "]";
    switch (kind) {
        case SourceKind::Attribute: {
            if (!PyUnicode_CheckExact(key)) {
                raise(PyExc_TypeError, "an attribute's name must be a str, not " + short_repr(key));
            }
            PyObject* interned = Py_NewRef(key);
            PyUnicode_InternInPlace(&interned);
            source->key = Ref::steal(interned);
            source->text = PyUnicode_IsIdentifier(key)
                               ? base->text + "." + name_text(key)
                               : "getattr(" + base->text + ", " + short_repr(key) + ")";
            break;
        }
        case SourceKind::Item: source->text = base->text + "[" + short_repr(key) + "]"; break;
        case SourceKind::DictKey: source->text = "list(" + base->text + ")" + at; break;
        case SourceKind::ClosureCell:
            source->text = base->text + ".__closure__" + at + ".cell_contents";
            break;
        case SourceKind::Default: source->text = base->text + ".__defaults__" + at; break;
        case SourceKind::KeywordDefault:
            if (!PyUnicode_CheckExact(key)) {
                raise(PyExc_TypeError,
                     "a keyword-only parameter's name must be a str, not " + short_repr(key));
            }
            source->text = base->text + ".__kwdefaults__[" + short_repr(key) + "]";
            break;
        case SourceKind::Type: source->text = "type(" + base->text + ")"; break;
        case SourceKind::InstanceDict: source->text = base->text + ".__dict__"; break;
        default: raise(PyExc_SystemError, "not a derived source");
    }
    source->base = std::move(base);
    return source;
}

}  // namespace framejit
