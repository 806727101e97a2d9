// What differs between CPython 3.10, 3.11, 3.12 and 3.13, behind one set of names.
//
// Only pycore_frame.h and pycore_code.h are taken from CPython's internal headers: the others
// that one might want (pycore_interp.h, pycore_pystate.h, pycore_ceval.h) do not compile as C++
// on 3.11 and 3.12.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030A0000 || PY_VERSION_HEX >= 0x030E0000
#error "framejit knows the frame layouts of CPython 3.10, 3.11, 3.12 and 3.13 only"
#endif
#ifdef Py_GIL_DISABLED
#error "framejit relies on the GIL; free-threaded builds of CPython are not supported"
#endif

#include <frameobject.h>

#if PY_VERSION_HEX >= 0x030B0000
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#define FRAMEJIT_DEFINED_BUILD_CORE
#endif
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_setobject.h>  // _PySet_NextEntry
#endif
#ifdef FRAMEJIT_DEFINED_BUILD_CORE
#undef Py_BUILD_CORE
#undef FRAMEJIT_DEFINED_BUILD_CORE
#endif
#endif

namespace framejit {

#if PY_VERSION_HEX >= 0x030B0000
using EvalFrame = _PyInterpreterFrame;
#else
using EvalFrame = PyFrameObject;
#endif

inline PyCodeObject* frame_code(EvalFrame* frame) {
#if PY_VERSION_HEX >= 0x030D0000
    return reinterpret_cast<PyCodeObject*>(frame->f_executable);
#else
    return frame->f_code;
#endif
}

inline PyObject** frame_localsplus(EvalFrame* frame) {
#if PY_VERSION_HEX >= 0x030B0000
    return frame->localsplus;
#else
    return frame->f_localsplus;
#endif
}

// The function that is being called, borrowed; null on 3.10, whose frames do not know it.
inline PyObject* frame_function(EvalFrame* frame) {
#if PY_VERSION_HEX >= 0x030C0000
    return frame->f_funcobj;
#elif PY_VERSION_HEX >= 0x030B0000
    return reinterpret_cast<PyObject*>(frame->f_func);
#else
    (void)frame;
    return nullptr;
#endif
}

inline int code_argument_slots(const PyCodeObject* code) {
    return code->co_argcount + code->co_kwonlyargcount + ((code->co_flags & CO_VARARGS) != 0) +
           ((code->co_flags & CO_VARKEYWORDS) != 0);
}

// Generators and coroutines leave their frame and come back: a code swap at entry is not enough.
constexpr int kSuspendingFlags = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;

// New references to co_varnames, co_cellvars and co_freevars; null with an exception on failure.
inline PyObject* code_varnames(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
    return PyCode_GetVarnames(code);
#else
    Py_INCREF(code->co_varnames);
    return code->co_varnames;
#endif
}
inline PyObject* code_cellvars(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
    return PyCode_GetCellvars(code);
#else
    Py_INCREF(code->co_cellvars);
    return code->co_cellvars;
#endif
}
inline PyObject* code_freevars(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
    return PyCode_GetFreevars(code);
#else
    Py_INCREF(code->co_freevars);
    return code->co_freevars;
#endif
}

inline Py_ssize_t request_code_extra_index(freefunc free_extra) {
#if PY_VERSION_HEX >= 0x030C0000
    return PyUnstable_Eval_RequestCodeExtraIndex(free_extra);
#else
    return _PyEval_RequestCodeExtraIndex(free_extra);
#endif
}
inline int get_code_extra(PyCodeObject* code, Py_ssize_t index, void** extra) {
#if PY_VERSION_HEX >= 0x030C0000
    return PyUnstable_Code_GetExtra(reinterpret_cast<PyObject*>(code), index, extra);
#else
    return _PyCode_GetExtra(reinterpret_cast<PyObject*>(code), index, extra);
#endif
}
inline int set_code_extra(PyCodeObject* code, Py_ssize_t index, void* extra) {
#if PY_VERSION_HEX >= 0x030C0000
    return PyUnstable_Code_SetExtra(reinterpret_cast<PyObject*>(code), index, extra);
#else
    return _PyCode_SetExtra(reinterpret_cast<PyObject*>(code), index, extra);
#endif
}

}  // namespace framejit
