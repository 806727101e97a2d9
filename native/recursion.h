// Recursion: what framejit's own calls take of the program's limit is given back.
#pragma once

#include "compat.h"

namespace framejit {

// Raises RecursionError, and is false, where the C stack is nearly used up: the limit alone does
// not keep from that what is given back.
bool check_c_stack();

// Lets the thread nest so many calls of Python functions more while it lives, and the C call that
// it lives in: those that stand between a frame and its rest, which under plain CPython is the
// same frame.
class RoomForOwnCalls {
public:
    explicit RoomForOwnCalls(int calls) : calls_(calls) { allow(1); }
    ~RoomForOwnCalls() { allow(-1); }
    RoomForOwnCalls(const RoomForOwnCalls&) = delete;
    RoomForOwnCalls& operator=(const RoomForOwnCalls&) = delete;

private:
    void allow(int sign) const;
    int calls_;
};

}  // namespace framejit
