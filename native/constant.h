// Exact equality with constants: the notion under which a compiled version may assume a value.
#pragma once

#include "compat.h"

namespace framejit {

// None, Ellipsis, NotImplemented, bool, int, float, complex, str, bytes, and tuples and
// frozensets of these; exact types only.
bool is_constant(PyObject* object);

// Same exact type and same value, where floats and complex numbers compare by their bits: 1 is
// not True, 0.0 is not -0.0, and nan equals the nan with the same bits. `constant` satisfies
// is_constant; `value` is anything. Runs no Python code and raises nothing.
bool same_constant(PyObject* value, PyObject* constant);

// Whether two sets or frozensets of constants have the same contents under same_constant.
bool same_set_contents(PyObject* value, PyObject* constants);

}  // namespace framejit
