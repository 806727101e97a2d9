// The evaluation hook: CPython's frame evaluator (PEP 523) with the code cache before it.
#pragma once

#include <string>

#include "code_cache.h"

namespace framejit {

// Installs the hook in this interpreter, over whatever evaluator is there, which keeps getting
// every frame, with the replacement already in it where there was a hit. Throws
// pybind11::error_already_set.
void enable_hook();

// Takes the hook out, in a region when that ends. If another evaluator was installed over it, which
// then still calls it, it lets every frame pass.
void disable_hook();

bool hook_enabled();

// A region, in which the hook is in and this thread has the callback: both ways in one call, since
// a compiled function has one around each of its own. begin_region() returns what end_region()
// takes, null with an exception; end_region() false with one.
Ref begin_region(PyObject* callback);
bool end_region(PyObject* before);

// Calls a Python function with the items of a list, which it empties. Where the thread has a
// callback, they are the function's alone once its frame runs: they die where it lets go of them.
// (Under any hook CPython's own call keeps its arguments until it returns; without one it does not,
// Python/ceval.c, CALL.) This call, and so many calls of Python functions, do not count towards the
// recursion limit. Null with an exception, a RecursionError where the C stack is nearly used up.
PyObject* hand_over(PyObject* function, PyObject* arguments, int own_calls);

// How programs read locals, for every check from now on; returns what was set before.
Design set_design(Design design);

// Why frames of the code can never run a replacement; null if they can.
const char* ineligible(const PyCodeObject* code);

}  // namespace framejit
