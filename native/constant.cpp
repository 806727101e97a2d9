#include "constant.h"

#include <cstring>

#include "ref.h"

namespace framejit {

namespace {

bool is_singleton(PyObject* object) {
    return object == Py_None || object == Py_Ellipsis || object == Py_NotImplemented ||
           PyBool_Check(object);
}

// Calls visit(element) for each element of a set, borrowed, until it answers false.
template <class Visit>
bool every_element(PyObject* set, Visit visit) {
    Py_ssize_t position = 0;
    PyObject* element = nullptr;
    Py_hash_t hash = 0;
    while (_PySet_NextEntry(set, &position, &element, &hash)) {
        if (!visit(element)) return false;
    }
    return true;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

bool is_constant(PyObject* object) {
    if (is_singleton(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
        PyComplex_CheckExact(object) || PyUnicode_CheckExact(object) ||
        PyBytes_CheckExact(object)) {
        return true;
    }
    if (PyTuple_CheckExact(object)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
            if (!is_constant(PyTuple_GET_ITEM(object, i))) return false;
        }
        return true;
    }
    return PyFrozenSet_CheckExact(object) && every_element(object, is_constant);
}

bool same_constant(PyObject* value, PyObject* constant) {
    if (value == constant) return true;
    PyTypeObject* type = Py_TYPE(constant);
    if (Py_TYPE(value) != type) return false;
    if (type == &PyFloat_Type) {
        return same_bits(PyFloat_AS_DOUBLE(value), PyFloat_AS_DOUBLE(constant));
    }
    if (type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBytes_Type) {
        return PyObject_RichCompareBool(value, constant, Py_EQ) == 1;
    }
    if (type == &PyTuple_Type) {
        const Py_ssize_t size = PyTuple_GET_SIZE(constant);
        if (PyTuple_GET_SIZE(value) != size) return false;
        for (Py_ssize_t i = 0; i < size; ++i) {
            if (!same_constant(PyTuple_GET_ITEM(value, i), PyTuple_GET_ITEM(constant, i))) {
                return false;
            }
        }
        return true;
    }
    if (type == &PyComplex_Type) {
        const Py_complex a = PyComplex_AsCComplex(value), b = PyComplex_AsCComplex(constant);
        return same_bits(a.real, b.real) && same_bits(a.imag, b.imag);
    }
    return type == &PyFrozenSet_Type && same_set_contents(value, constant);
}

bool same_set_contents(PyObject* value, PyObject* constants) {
    if (PySet_GET_SIZE(value) != PySet_GET_SIZE(constants)) return false;
    // No hash lookup: that would equate 1 and True, and run __eq__ of whatever the value holds.
    // How many nans of the same bits a set holds is not compared: only identity tells them apart.
    auto within = [](PyObject* element, PyObject* set) {
        return !every_element(set, [&](PyObject* other) {
            return !(is_constant(other) && same_constant(element, other));
        });
    };
    return every_element(constants, [&](PyObject* element) { return within(element, value); }) &&
           every_element(value, [&](PyObject* element) { return within(element, constants); });
}

}  // namespace framejit
