// Running replacement code in place of the code that a frame was made for.
#pragma once

#include "compat.h"

namespace framejit {

// Makes frames of `code` that are built from now on large enough for `replacement`. On 3.12 and
// later this raises a field that Python cannot see; on 3.11 it raises co_stacksize.
void make_frames_fit(PyCodeObject* code, PyCodeObject* replacement);

// Makes the frame run `replacement`, with its arguments and closure as they are; then the caller
// evaluates what is returned. On 3.11 and later that is the frame itself. On 3.10 it is a new
// frame, to be released with release_frame. Null without an exception if the frame is too small
// and cannot grow, which can happen only to one that was built before the entry was installed:
// then the original has to run. Null with an exception if 3.10 cannot make a frame.
EvalFrame* replace_code(PyThreadState* thread, EvalFrame* frame, PyCodeObject* replacement);

// To be called after the evaluation of a frame that replace_code returned.
void release_frame(PyThreadState* thread, EvalFrame* original, EvalFrame* ran);

}  // namespace framejit
