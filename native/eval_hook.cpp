#include "eval_hook.h"

#include <pybind11/pybind11.h>

#include <utility>
#include <vector>

#include "errors.h"
#include "frame_handle.h"
#include "frame_run.h"
#include "recorder.h"
#include "recursion.h"

namespace py = pybind11;

namespace framejit {

namespace {

_PyFrameEvalFunction previous = _PyEval_EvalFrameDefault;  // the evaluator under the hook
bool linked = false;  // the hook is in the chain of evaluators, as far as it can know
bool active = false;
bool switched_on = false;  // by hand
size_t regions = 0;        // that have begun and not ended, of all threads
Design design = Design::Frame;

constexpr const char* kNoRoom =
    "the frame was built before the entry was installed and has no room for the replacement";

// Gives the frame to the evaluator under the hook. That can be torch's, which may hold this hook
// for the one under itself (it was left in, and entered again over the hook): such a pair would
// hand a frame to and fro without end, so a frame that comes back is run by CPython.
PyObject* pass_on(PyThreadState* thread, EvalFrame* frame, int throwing) {
    if (previous == _PyEval_EvalFrameDefault) {
        return _PyEval_EvalFrameDefault(thread, frame, throwing);
    }
    const void*& passed_on = this_thread().passed_on;
    const void* outer = passed_on;
    passed_on = frame;
    PyObject* result = previous(thread, frame, throwing);
    passed_on = outer;
    return result;
}

bool came_back(const EvalFrame* frame) {
    return previous != _PyEval_EvalFrameDefault && this_thread().passed_on == frame;
}

// Runs the entry's code. Null in `*ran` if the frame has no room, and nothing has run.
PyObject* run_entry(PyThreadState* thread, EvalFrame* frame, Entry* entry, bool* ran) {
    auto* replacement = reinterpret_cast<PyCodeObject*>(entry->replacement.get());
    // The swap can free the original code, and the entry with it.
    ++entry->hits;
    EvalFrame* running = replace_code(thread, frame, replacement);
    *ran = running != nullptr || PyErr_Occurred();
    if (running == nullptr) return nullptr;
    PyObject* result = pass_on(thread, running, 0);
    release_frame(thread, frame, running);
    return result;
}

void record(Outcome outcome, PyCodeObject* code, EntryPtr entry,
            std::vector<EntryFailure> failures, std::string reason) {
    Recorder* recorder = this_thread().recorder;
    if (recorder == nullptr) return;
    recorder->verdicts.push_back({Ref::borrow(reinterpret_cast<PyObject*>(code)), outcome,
                                  std::move(entry), std::move(failures), std::move(reason)});
}

EntryPtr shared(const CodeState& state, const Entry* entry) {
    for (const EntryPtr& candidate : state.entries()) {
        if (candidate.get() == entry) return candidate;
    }
    return nullptr;
}

// Offers the frame to the thread's callback. False if it raised; the reason is then in `error`.
bool call_back(ThreadState& thread, FrameView& view, const CodeState& state, std::string* error) {
    Ref callback = Ref::borrow(thread.callback);
    Ref handle = frame_handle(view, state.slots());
    thread.in_callback = true;
    Ref result =
        handle ? Ref::steal(PyObject_CallOneArg(callback.get(), handle.get())) : Ref();
    thread.in_callback = false;
    if (result) return true;
    // The program goes on as if there were no compiler, but not in silence.
    const Raised raised = Raised::take();
    *error = "the callback raised " + raised.text();
    if (!raised.interrupt()) raised.write_unraisable(callback.get());
    raised.raise_again_if_interrupt();
    return false;
}

// The slow path, for a thread that has a callback or a recorder.
PyObject* evaluate_observed(PyThreadState* thread, EvalFrame* frame, int throwing) {
    ThreadState& observer = this_thread();
    PyCodeObject* code = frame_code(frame);
    if (observer.handed_over != nullptr && observer.handed_over->code == code) {
        std::exchange(observer.handed_over, nullptr)->arguments.clear();
    }
    auto skip = [&](const std::string& reason) {
        record(Outcome::Skipped, code, nullptr, {}, reason);
        return pass_on(thread, frame, throwing);
    };
    if (throwing) return skip("resumed by an exception thrown into it");
    if (const char* reason = ineligible(code)) return skip(reason);
    CodeState* state = CodeState::of(code);
    if (state != nullptr && !state->skip_reason.empty()) return skip(state->skip_reason);
    const bool offer = observer.callback != nullptr && !observer.in_callback;
    if (state == nullptr && offer) {
        state = CodeState::create(code);
        if (state == nullptr) return skip("no memory for a cache: " + take_error());
    }

    // The evaluation below frees the frame, and with it perhaps the last reference to the code.
    Ref held = Ref::borrow(reinterpret_cast<PyObject*>(code));
    Entry* entry = nullptr;
    Outcome outcome = Outcome::NoEntry;
    std::vector<EntryFailure> failures;
    std::string error;
    if (state != nullptr) {
        FrameView view(frame);
        const bool explain = observer.recorder != nullptr;
        if (state->has_entries()) {
            entry = state->lookup(view, design, explain ? &failures : nullptr);
            outcome = entry != nullptr ? Outcome::Hit : Outcome::Miss;
        }
        if (entry == nullptr && offer) {
            const bool returned = call_back(observer, view, *state, &error);
            if (returned && state->skip_reason.empty() && state->has_entries()) {
                entry = state->lookup(view, design, nullptr);
                if (entry != nullptr) outcome = Outcome::Compiled;
            }
        }
    }
    if (entry != nullptr) {
        Recorder* recorder = observer.recorder;
        const size_t place = recorder != nullptr ? recorder->verdicts.size() : 0;
        if (recorder != nullptr) {
            record(outcome, code, shared(*state, entry), std::move(failures), "");
        }
        bool ran = false;
        PyObject* result = run_entry(thread, frame, entry, &ran);
        if (ran) return result;
        if (recorder != nullptr) {
            Verdict& verdict = recorder->verdicts[place];
            verdict.outcome = Outcome::Skipped;
            verdict.reason = kNoRoom;
        }
    } else if (!error.empty()) {
        record(Outcome::Skipped, code, nullptr, std::move(failures), error);
    } else {
        record(outcome, code, nullptr, std::move(failures), "");
    }
    return pass_on(thread, frame, throwing);
}

PyObject* evaluate(PyThreadState* thread, EvalFrame* frame, int throwing) {
    if (came_back(frame)) return _PyEval_EvalFrameDefault(thread, frame, throwing);
    if (this_thread().observed && active) return evaluate_observed(thread, frame, throwing);
    CodeState* state = CodeState::of(frame_code(frame));
    if (state != nullptr && state->has_entries() && !throwing && active) {
        Entry* entry;
        {
            FrameView view(frame);
            entry = design == Design::Frame ? state->hit_at_once(view.variables()) : nullptr;
            if (entry == nullptr) entry = state->lookup(view, design, nullptr);
        }
        if (entry != nullptr) {
            bool ran = false;
            PyObject* result = run_entry(thread, frame, entry, &ran);
            if (ran) return result;
        }
    }
    return pass_on(thread, frame, throwing);
}

// torch.compile installs its evaluator when one of its functions is entered and restores the one
// from before when that returns, which takes out whatever was installed over it in between. So
// it is asked to step back while the hook is put in or taken out under it. Its own function for
// that is torch._C._dynamo.eval_frame.set_eval_frame, which returns what was set.
class TorchAside {
public:
    // Where no other evaluator is in, torch's is not.
    explicit TorchAside(bool others) {
        if (!others) return;
        PyObject* modules = PyImport_GetModuleDict();
        PyObject* module = PyDict_GetItemString(modules, "torch._C._dynamo.eval_frame");
        if (module == nullptr) return;
        set_ = Ref::steal(PyObject_GetAttrString(module, "set_eval_frame"));
        callback_ = set_ ? Ref::steal(PyObject_CallOneArg(set_.get(), Py_None)) : Ref();
        if (!callback_) throw py::error_already_set();
    }
    ~TorchAside() {
        if (!callback_) return;
        Ref unused = Ref::steal(PyObject_CallOneArg(set_.get(), callback_.get()));
        if (!unused) PyErr_WriteUnraisable(set_.get());
    }

private:
    Ref set_, callback_;
};

_PyFrameEvalFunction installed(PyInterpreterState* interpreter) {
    return _PyInterpreterState_GetEvalFrameFunc(interpreter);
}

void put_in() {
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    TorchAside aside(installed(interpreter) != _PyEval_EvalFrameDefault);
    _PyFrameEvalFunction current = installed(interpreter);
    active = true;
    // Under another evaluator the hook is still called; under none it has been taken out.
    if (current == evaluate || (linked && current != _PyEval_EvalFrameDefault)) return;
    previous = current;
    linked = true;
    _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
}

void take_out() {
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    TorchAside aside(installed(interpreter) != evaluate || previous != _PyEval_EvalFrameDefault);
    active = false;
    if (installed(interpreter) != evaluate) return;
    _PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
    linked = false;
}

}  // namespace

const char* ineligible(const PyCodeObject* code) {
    if ((code->co_flags & kSuspendingFlags) != 0) return "a generator or coroutine";
    if ((code->co_flags & CO_OPTIMIZED) == 0) return "the body of a module or class";
    return nullptr;
}

void enable_hook() {
    put_in();
    switched_on = true;
}

void disable_hook() {
    switched_on = false;
    if (regions == 0) take_out();
}

Ref begin_region(PyObject* callback) {
    if (regions == 0) put_in();
    Ref before = set_thread_callback(callback);
    if (before) {
        ++regions;
    } else if (regions == 0 && !switched_on) {
        take_out();
    }
    return before;
}

bool end_region(PyObject* before) {
    if (regions == 0) throw py::value_error("no region has begun");
    Ref ended = set_thread_callback(before);
    if (--regions == 0 && !switched_on) take_out();
    return static_cast<bool>(ended);
}

PyObject* hand_over(PyObject* function, PyObject* arguments, int own_calls) {
    if (!check_c_stack()) return nullptr;
    HandedOver given{reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function)), {}};
    const Py_ssize_t count = PyList_GET_SIZE(arguments);
    std::vector<PyObject*> items(count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        items[i] = PyList_GET_ITEM(arguments, i);
        given.arguments.push_back(Ref::borrow(items[i]));
    }
    if (PyList_SetSlice(arguments, 0, count, nullptr) < 0) return nullptr;
    ThreadState& thread = this_thread();
    HandedOver* outer = std::exchange(thread.handed_over, &given);
    RoomForOwnCalls room(own_calls);
    PyObject* result = PyObject_Vectorcall(function, items.data(), count, nullptr);
    thread.handed_over = outer;
    return result;
}

bool hook_enabled() { return active; }

Design set_design(Design chosen) {
    std::swap(design, chosen);
    return chosen;
}

}  // namespace framejit
