#include "errors.h"

#include <pybind11/pybind11.h>

namespace framejit {

std::string short_repr(PyObject* object, size_t limit) {
    if (object == nullptr) return "<nothing>";
    // A repr in Python can take the object out of where the caller found it.
    Ref held = Ref::borrow(object);
    Ref text = Ref::steal(PyObject_Repr(object));
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (utf8 == nullptr) {
        take_error();
        return std::string("<") + Py_TYPE(object)->tp_name + " whose repr() raises>";
    }
    std::string result = utf8;
    if (result.size() <= limit) return result;
    size_t cut = limit;
    // A UTF-8 sequence is cut before its first byte, never inside.
    while (cut > 0 && (static_cast<unsigned char>(result[cut]) & 0xC0) == 0x80) --cut;
    return result.substr(0, cut) + "...";
}

Raised Raised::take() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Raised raised;
    raised.type_ = Ref::steal(type);
    raised.value_ = Ref::steal(value);
    raised.traceback_ = Ref::steal(traceback);
    return raised;
}

bool Raised::interrupt() const {
    return type_ && PyErr_GivenExceptionMatches(type_.get(), PyExc_KeyboardInterrupt);
}

std::string Raised::text() const {
    if (!type_) return "no exception";
    std::string text = reinterpret_cast<PyTypeObject*>(type_.get())->tp_name;
    Ref message = Ref::steal(PyObject_Str(value_.get()));
    const char* utf8 = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
    if (utf8 == nullptr) PyErr_Clear();
    if (utf8 != nullptr && *utf8 != '\0') text += std::string(": ") + utf8;
    return text;
}

void Raised::write_unraisable(PyObject* where) const {
    PyErr_Restore(Ref(type_).release(), Ref(value_).release(), Ref(traceback_).release());
    PyErr_WriteUnraisable(where);
}

void Raised::raise_again_if_interrupt() const {
    if (interrupt()) PyErr_SetInterrupt();
}

std::string take_error() {
    const Raised raised = Raised::take();
    // The text comes first: str() itself looks for signals.
    std::string text = raised.text();
    raised.raise_again_if_interrupt();
    return text;
}

void raise(PyObject* exception, const std::string& message) {
    PyErr_SetString(exception, message.c_str());
    throw pybind11::error_already_set();
}

}  // namespace framejit
