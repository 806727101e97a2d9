#include "recursion.h"

#include <pthread.h>

#include <cstdint>

namespace framejit {

namespace {

constexpr uintptr_t kReserve = 1 << 20;  // bytes; compiling a frame takes some hundred thousand

// The lowest address of this thread's stack, which grows down; 0 if it is not known.
uintptr_t stack_end() {
    static thread_local const uintptr_t end = [] {
        uintptr_t lowest = 0;
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return lowest;
        void* address = nullptr;
        size_t size = 0;
        if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
            lowest = reinterpret_cast<uintptr_t>(address);
        }
        pthread_attr_destroy(&attributes);
        return lowest;
    }();
    return end;
}

}  // namespace

bool check_c_stack() {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (here - stack_end() > kReserve) return true;
    PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded: no C stack is left");
    return false;
}

void RoomForOwnCalls::allow(int sign) const {
    PyThreadState* thread = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030C0000
    // A Python function that is called through C counts as both.
    thread->py_recursion_remaining += sign * calls_;
    thread->c_recursion_remaining += sign * (calls_ + 1);
#elif PY_VERSION_HEX >= 0x030B0000
    // Here the interpreter calls a C function that it knows already without counting.
    thread->recursion_remaining += sign * calls_;
#else
    thread->recursion_depth -= sign * (calls_ + 1);
#endif
}

}  // namespace framejit
