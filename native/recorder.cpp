#include "recorder.h"

namespace framejit {

const char* outcome_name(Outcome outcome) {
    switch (outcome) {
        case Outcome::Hit: return "hit";
        case Outcome::Compiled: return "compiled";
        case Outcome::Miss: return "miss";
        case Outcome::NoEntry: return "no entry";
        case Outcome::Skipped: return "skipped";
    }
    return "";
}

namespace {

// The references behind a ThreadState's pointers. They lie in the thread's own dict, which
// CPython clears, with the GIL held, when the thread ends; a thread_local destructor would run
// without it.
struct Owned {
    ThreadState* thread;
    Ref callback, recorder;
};

void release_owned(PyObject* capsule) {
    auto* owned = static_cast<Owned*>(PyCapsule_GetPointer(capsule, nullptr));
    // At exit another thread may do this, and the thread-local storage is gone already.
    if (owned->thread == &this_thread()) *owned->thread = ThreadState();
    delete owned;
}

Owned* this_threads_own() {
    PyObject* dict = PyThreadState_GetDict();
    if (dict == nullptr) return nullptr;
    constexpr const char* kKey = "framejit._native";
    PyObject* capsule = PyDict_GetItemString(dict, kKey);
    if (capsule == nullptr) {
        auto* owned = new Owned{&this_thread(), Ref(), Ref()};
        Ref made = Ref::steal(PyCapsule_New(owned, nullptr, release_owned));
        if (!made || PyDict_SetItemString(dict, kKey, made.get()) < 0) return nullptr;
        return owned;
    }
    return static_cast<Owned*>(PyCapsule_GetPointer(capsule, nullptr));
}

Ref exchange(Ref* place, PyObject* object) {
    Ref previous = std::move(*place);
    *place = Ref::borrow(object == Py_None ? nullptr : object);
    ThreadState& thread = this_thread();
    thread.observed = thread.callback != nullptr || thread.recorder != nullptr;
    return previous ? previous : Ref::borrow(Py_None);
}

}  // namespace

Ref set_thread_callback(PyObject* callback) {
    Owned* owned = this_threads_own();
    if (owned == nullptr) return Ref();
    this_thread().callback = callback == Py_None ? nullptr : callback;
    return exchange(&owned->callback, callback);
}

Ref set_thread_recorder(PyObject* owner, Recorder* recorder) {
    Owned* owned = this_threads_own();
    if (owned == nullptr) return Ref();
    this_thread().recorder = recorder;
    return exchange(&owned->recorder, owner);
}

}  // namespace framejit
