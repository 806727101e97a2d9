// Recursion: what framejit's own calls take of the program's limit is given back.
#pragma once

#include "compat.h"

namespace framejit {

// Raises RecursionError, and is false, where the C stack is nearly used up: the limit alone does
// not keep from that what is given back.
bool check_c_stack();

// Lets the thread nest so many calls more while it lives: those that stand between a frame and
// its rest, which under plain CPython is the same frame.
class RoomForOwnCalls {
public:
    explicit RoomForOwnCalls(int calls) : calls_(calls) { allow(calls_); }
    ~RoomForOwnCalls() { allow(-calls_); }
    RoomForOwnCalls(const RoomForOwnCalls&) = delete;
    RoomForOwnCalls& operator=(const RoomForOwnCalls&) = delete;

private:
    static void allow(int calls);
    int calls_;
};

}  // namespace framejit
