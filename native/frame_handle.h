// The Python object through which a callback looks at a frame.
#pragma once

#include <memory>

#include "frame_view.h"

namespace framejit {

// Shared by the view and by every Python handle on it: a callback may keep its handle, but what
// the view shows lives only until the frame starts to run.
struct FrameAccess {
    FrameView* view;
    const SlotTable* table;
};

// Throws std::runtime_error when the frame has begun to run.
FrameView& view_of(const FrameAccess& access);

// A new reference to a framejit._native.Frame; null with an exception.
Ref frame_handle(FrameView& view, const SlotTable& table);

}  // namespace framejit
