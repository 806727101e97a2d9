// Recorder: what was decided about each frame, for people and for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "code_cache.h"

namespace framejit {

enum class Outcome : uint8_t {
    Hit,       // an entry's guards held and it ran
    Compiled,  // none held, the callback installed one, and that ran
    Miss,      // there are entries, and none of their guards held
    NoEntry,   // nothing is installed for the code
    Skipped,   // the frame was not looked at, or could not run a replacement; see the reason
};
const char* outcome_name(Outcome outcome);

struct Verdict {
    Ref code;
    Outcome outcome;
    EntryPtr entry;                      // of Hit and Compiled
    std::vector<EntryFailure> failures;  // why each entry before it did not hold
    std::string reason;                  // of Skipped
};

struct Recorder {
    std::vector<Verdict> verdicts;
    bool running = false;
};

// Arguments that a caller gives up as soon as the function has them; see hand_over().
struct HandedOver {
    PyCodeObject* code;
    std::vector<Ref> arguments;
};

// What a thread has asked for, and where it is. Unless another evaluator lies under the hook, the
// hot path reads one flag of it.
struct ThreadState {
    bool observed = false;     // there is a callback or a recorder
    bool in_callback = false;  // frames of the callback's own are not offered to it
    PyObject* callback = nullptr;
    Recorder* recorder = nullptr;
    const void* passed_on = nullptr;  // the frame that the evaluator under the hook was given last
    HandedOver* handed_over = nullptr;  // the call that is being made, until its frame runs
};

inline ThreadState& this_thread() {
    // The library is small and loaded once, so that it may use the fast kind of thread-local
    // storage; the general kind would cost a function call a frame.
    static thread_local ThreadState state __attribute__((tls_model("initial-exec")));
    return state;
}

// Both keep the object until it is replaced or the thread ends. They return what was set before,
// or None, as a new reference; null with an exception.
Ref set_thread_callback(PyObject* callback);
Ref set_thread_recorder(PyObject* owner, Recorder* recorder);

}  // namespace framejit
