// FrameView: the variables of a frame that has not yet begun, read where they lie.
#pragma once

#include <memory>

#include "compat.h"
#include "frame_layout.h"
#include "ref.h"

namespace framejit {

// The content of a cell, borrowed; null if it is empty.
inline PyObject* cell_content(PyObject* cell) { return PyCell_GET(cell); }

// How a variable of a frame at its entry is read: two addresses, which stay the same.
struct VariableReader {
    PyObject** localsplus;
    PyObject* closure;

    // Borrowed; null if the variable is unbound.
    PyObject* load(Storage storage, int index) const {
        switch (storage) {
            case Storage::Fast: return localsplus[index];
            case Storage::Boxed: return cell_content(localsplus[index]);
            case Storage::Closure: return cell_content(PyTuple_GET_ITEM(closure, index));
            default: return nullptr;
        }
    }
};

struct FrameAccess;

// Valid only between the hook's entry and the start of evaluation. Everything it hands out is
// borrowed: from the frame, or from a cell, and then only until Python code runs.
class FrameView {
public:
    explicit FrameView(EvalFrame* frame)
        : frame_(frame), variables_{frame_localsplus(frame), nullptr} {
#if PY_VERSION_HEX >= 0x030B0000
        PyObject* function = frame_function(frame);
        variables_.closure = reinterpret_cast<PyFunctionObject*>(function)->func_closure;
#endif
    }
    ~FrameView() {
        if (access_) end_access();
    }
    FrameView(const FrameView&) = delete;
    FrameView& operator=(const FrameView&) = delete;

    const VariableReader& variables() const { return variables_; }
    PyObject* load(Slot slot) const { return variables_.load(slot.storage, slot.index); }

    EvalFrame* frame() const { return frame_; }
    PyCodeObject* code() const { return frame_code(frame_); }
    PyObject* function() const { return frame_function(frame_); }
    PyObject* globals() const { return frame_->f_globals; }
    PyObject* builtins() const { return frame_->f_builtins; }

    // A dict of the bound variables, equal to what frame.f_locals will be when the body starts;
    // made at the first request and kept for further ones. Borrowed; null with an exception.
    PyObject* locals(const SlotTable& table);

    // What Python handles on this view share; made at the first request.
    const std::shared_ptr<FrameAccess>& access(const SlotTable& table);

private:
    void end_access();

    EvalFrame* frame_;
    VariableReader variables_;
    Ref locals_;
    std::shared_ptr<FrameAccess> access_;
};

}  // namespace framejit
