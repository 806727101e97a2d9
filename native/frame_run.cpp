#include "frame_run.h"

#include <utility>

#include "ref.h"

namespace framejit {

#if PY_VERSION_HEX >= 0x030B0000

namespace {

Py_ssize_t frame_slots(const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030C0000
    return code->co_framesize;
#else
    return code->co_nlocalsplus + code->co_stacksize +
           static_cast<Py_ssize_t>(FRAME_SPECIALS_SIZE);
#endif
}

}  // namespace

void make_frames_fit(PyCodeObject* code, PyCodeObject* replacement) {
    const Py_ssize_t lacking = frame_slots(replacement) - frame_slots(code);
    if (lacking <= 0) return;
#if PY_VERSION_HEX >= 0x030C0000
    code->co_framesize += static_cast<int>(lacking);
#else
    code->co_stacksize += static_cast<int>(lacking);
#endif
}

// CPython has filled the argument slots and nothing else: MAKE_CELL and COPY_FREE_VARS, the
// first instructions of either code, make the cells. Arguments lie in the same slots in both.
EvalFrame* replace_code(PyThreadState* thread, EvalFrame* frame, PyCodeObject* replacement) {
    PyCodeObject* code = frame_code(frame);
    PyObject** base = reinterpret_cast<PyObject**>(frame);
    PyObject** end = base + frame_slots(replacement);
    // A frame that another evaluator keeps elsewhere has a size that only it knows.
    if (base < thread->datastack_chunk->data || base >= thread->datastack_top) return nullptr;
    // At entry this frame is the last on the data stack, and popping it resets the top to its
    // start, so that it can grow to the end of the chunk.
    if (end > thread->datastack_top) {
        if (end >= thread->datastack_limit) return nullptr;
        thread->datastack_top = end;
    }
    for (int i = code->co_nlocalsplus; i < replacement->co_nlocalsplus; ++i) {
        frame->localsplus[i] = nullptr;
    }
    frame->stacktop = replacement->co_nlocalsplus;
    Py_INCREF(replacement);
#if PY_VERSION_HEX >= 0x030D0000
    frame->f_executable = reinterpret_cast<PyObject*>(replacement);
    frame->instr_ptr = _PyCode_CODE(replacement);
#else
    frame->f_code = replacement;
    frame->prev_instr = _PyCode_CODE(replacement) - 1;
#endif
    Py_DECREF(code);
    return frame;
}

void release_frame(PyThreadState*, EvalFrame*, EvalFrame*) {}

#else

void make_frames_fit(PyCodeObject*, PyCodeObject*) {}

namespace {

// The value of an argument, moved out of the frame: it may have gone into a cell already.
PyObject* take_argument(PyFrameObject* frame, int index) {
    PyObject*& slot = frame->f_localsplus[index];
    if (slot != nullptr) return std::exchange(slot, nullptr);
    PyCodeObject* code = frame->f_code;
    if (code->co_cell2arg == nullptr) return nullptr;
    const Py_ssize_t cells = PyTuple_GET_SIZE(code->co_cellvars);
    for (Py_ssize_t i = 0; i < cells; ++i) {
        if (code->co_cell2arg[i] != index) continue;
        PyObject* cell = frame->f_localsplus[code->co_nlocals + i];
        PyObject* value = PyCell_GET(cell);
        PyCell_SET(cell, nullptr);
        return value;
    }
    return nullptr;
}

}  // namespace

// 3.10 frames have the size of their code and are cached with it: the replacement gets its own.
EvalFrame* replace_code(PyThreadState* thread, EvalFrame* frame, PyCodeObject* replacement) {
    PyFrameObject* made = PyFrame_New(thread, replacement, frame->f_globals, frame->f_locals);
    if (made == nullptr) return nullptr;
    // A function keeps the builtins that it was defined under.
    Ref old_builtins = Ref::steal(made->f_builtins);
    Py_INCREF(frame->f_builtins);
    made->f_builtins = frame->f_builtins;

    const int arguments = code_argument_slots(replacement);
    for (int i = 0; i < arguments; ++i) made->f_localsplus[i] = take_argument(frame, i);

    PyObject** cells = made->f_localsplus + replacement->co_nlocals;
    const Py_ssize_t ncells = PyTuple_GET_SIZE(replacement->co_cellvars);
    for (Py_ssize_t i = 0; i < ncells; ++i) {
        PyObject* value = nullptr;
        if (replacement->co_cell2arg != nullptr &&
            replacement->co_cell2arg[i] != CO_CELL_NOT_AN_ARG) {
            value = std::exchange(made->f_localsplus[replacement->co_cell2arg[i]], nullptr);
        }
        cells[i] = PyCell_New(value);
        Py_XDECREF(value);
        if (cells[i] == nullptr) {
            Py_DECREF(made);
            return nullptr;
        }
    }
    PyObject** closure = frame->f_localsplus + frame->f_code->co_nlocals +
                         PyTuple_GET_SIZE(frame->f_code->co_cellvars);
    const Py_ssize_t nfree = PyTuple_GET_SIZE(replacement->co_freevars);
    for (Py_ssize_t i = 0; i < nfree; ++i) {
        Py_INCREF(closure[i]);
        cells[ncells + i] = closure[i];
    }
    return made;
}

void release_frame(PyThreadState* thread, EvalFrame* original, EvalFrame* ran) {
    if (ran == original) return;
    // As CPython does for its own frames: freeing locals must not count as one level less.
    ++thread->recursion_depth;
    Py_DECREF(ran);
    --thread->recursion_depth;
}

#endif

}  // namespace framejit
