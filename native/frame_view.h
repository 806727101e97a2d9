// FrameView: the variables of a frame that has not yet begun, read where they lie.
#pragma once

#include <memory>

#include "compat.h"
#include "frame_layout.h"
#include "ref.h"

namespace framejit {

// The content of a cell, borrowed; null if it is empty.
inline PyObject* cell_content(PyObject* cell) { return PyCell_GET(cell); }

struct FrameAccess;

// Valid only between the hook's entry and the start of evaluation. Everything it hands out is
// borrowed: from the frame, or from a cell, and then only until Python code runs.
class FrameView {
public:
    explicit FrameView(EvalFrame* frame)
        : frame_(frame), localsplus_(frame_localsplus(frame)), closure_(nullptr) {
#if PY_VERSION_HEX >= 0x030B0000
        PyObject* function = frame_function(frame);
        closure_ = reinterpret_cast<PyFunctionObject*>(function)->func_closure;
#endif
    }
    ~FrameView() {
        if (access_) end_access();
    }
    FrameView(const FrameView&) = delete;
    FrameView& operator=(const FrameView&) = delete;

    PyObject* load(Storage storage, int index) const {
        switch (storage) {
            case Storage::Fast: return localsplus_[index];
            case Storage::Boxed: return cell_content(localsplus_[index]);
            case Storage::Closure: return cell_content(PyTuple_GET_ITEM(closure_, index));
            default: return nullptr;
        }
    }
    PyObject* load(Slot slot) const { return load(slot.storage, slot.index); }

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
    PyObject** localsplus_;
    PyObject* closure_;
    Ref locals_;
    std::shared_ptr<FrameAccess> access_;
};

}  // namespace framejit
