#include "code_cache.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <unordered_set>

#include "errors.h"
#include "frame_run.h"

namespace framejit {

namespace {

// Every living state, for a reset of all. Never freed: code objects outlive static objects.
std::unordered_set<CodeState*>& all_states() {
    static auto* states = new std::unordered_set<CodeState*>();
    return *states;
}

void free_extra(void* extra) { delete static_cast<CodeState*>(extra); }

std::string describe(const char* what, const std::string& original,
                     const std::string& replacement, const char* remedy) {
    return std::string("the replacement has ") + what + " " + replacement +
           ", but the original has " + original + "; " + remedy;
}

void require_equal(int original, int replacement, const char* what) {
    if (original == replacement) return;
    raise(PyExc_ValueError,
          describe(what, std::to_string(original), std::to_string(replacement),
                   "compile the replacement with the parameters of the original"));
}

// The frame that the caller built is filled by the original's parameters and its closure: the
// replacement must expect the same.
void require_same_interface(PyCodeObject* code, PyCodeObject* replacement) {
    require_equal(code->co_argcount, replacement->co_argcount, "co_argcount");
    require_equal(code->co_posonlyargcount, replacement->co_posonlyargcount,
                  "co_posonlyargcount");
    require_equal(code->co_kwonlyargcount, replacement->co_kwonlyargcount, "co_kwonlyargcount");
    for (auto [flag, name] : {std::pair{CO_VARARGS, "the flag CO_VARARGS"},
                              std::pair{CO_VARKEYWORDS, "the flag CO_VARKEYWORDS"}}) {
        require_equal((code->co_flags & flag) != 0, (replacement->co_flags & flag) != 0, name);
    }
    if ((replacement->co_flags & kSuspendingFlags) != 0) {
        raise(PyExc_ValueError,
              "the replacement is a generator or coroutine, which the original is not");
    }
    if ((replacement->co_flags & CO_OPTIMIZED) == 0) {
        raise(PyExc_ValueError,
              "the replacement is the body of a module or class; compile a function");
    }
    Ref own = Ref::steal(code_freevars(code)), other = Ref::steal(code_freevars(replacement));
    const int same = own && other ? PyObject_RichCompareBool(own.get(), other.get(), Py_EQ) : -1;
    if (same < 0) throw pybind11::error_already_set();
    if (same == 0) {
        raise(PyExc_ValueError,
              describe("co_freevars", short_repr(own.get()), short_repr(other.get()),
                       "its free variables must be the same names in the same order, since the "
                       "original's closure is what it will get"));
    }
}

}  // namespace

Py_ssize_t CodeState::extra_index_ = -1;

bool CodeState::start() {
    if (extra_index_ >= 0) return true;
    extra_index_ = request_code_extra_index(free_extra);
    if (extra_index_ >= 0) return true;
    PyErr_SetString(PyExc_ImportError,
                    "CPython has no co_extra index left; unload another frame evaluator");
    return false;
}

CodeState* CodeState::create(PyCodeObject* code) {
    if (CodeState* state = of(code)) return state;
    std::unique_ptr<CodeState> state(new CodeState(code));
    state->slots_.reset(SlotTable::build(code));
    if (!state->slots_ || set_code_extra(code, extra_index_, state.get()) < 0) return nullptr;
    all_states().insert(state.get());
    return state.release();
}

CodeState::~CodeState() {
    reset("its code object is gone");
    all_states().erase(this);
}

void CodeState::reset_all(const char* reason) {
    // Releasing entries can free code objects, and with them states of this very set.
    std::vector<Ref> codes;
    for (CodeState* state : all_states()) {
        if (state->has_entries() || !state->skip_reason.empty()) {
            codes.push_back(Ref::borrow(reinterpret_cast<PyObject*>(state->code_)));
        }
    }
    for (const Ref& code : codes) of(reinterpret_cast<PyCodeObject*>(code.get()))->reset(reason);
}

Entry* CodeState::lookup(FrameView& view, Design design, std::vector<EntryFailure>* failures) {
    // Guards run before the frame does, so that Python's own recursion limit does not see a guard
    // that calls, in the end, the very function that it guards.
    constexpr int kDeepest = 100;
    if (lookups_ >= kDeepest) {
        for (const EntryPtr& entry : entries_) {
            ++entry->errors;
            entry->last_error = "the guards of this code call the code itself without end";
        }
        return nullptr;
    }
    ++lookups_;
    Entry* hit = nullptr;
    size_t place = 0;
    for (; place < entries_.size(); ++place) {
        Entry* entry = entries_[place].get();
        if (entry->home == nullptr) continue;
        std::unique_ptr<Failure> failure;
        const bool holds = failures == nullptr
                               ? entry->program.check<false>(view, *slots_, design, &failure)
                               : entry->program.check<true>(view, *slots_, design, &failure);
        if (failure && failure->miss == Miss::Error) {
            ++entry->errors;
            entry->last_error = failure->text();
        }
        // A guard can remove the entry that it belongs to.
        if (holds && entry->home != nullptr) {
            hit = entry;
            break;
        }
        if (failures != nullptr && failure) {
            failures->push_back({entries_[place], std::move(*failure)});
        }
    }
    if (--lookups_ > 0) return hit;
    if (hit != nullptr && place > 0) {
        std::rotate(entries_.begin(), entries_.begin() + place, entries_.begin() + place + 1);
    }
    if (swept_late_) sweep();
    return hit;
}

void CodeState::add(EntryPtr entry, size_t limit) {
    entry->home = this;
    auto in_cache = [](const EntryPtr& other) { return other->home != nullptr; };
    while (static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), in_cache)) >=
           limit) {
        auto last = std::find_if(entries_.rbegin(), entries_.rend(), in_cache);
        remove(last->get(), "evicted: the cache holds " + std::to_string(limit) +
                                " entries for a code object, and this one had not hit for the "
                                "longest time");
    }
    entries_.insert(lookups_ > 0 ? entries_.end() : entries_.begin(), std::move(entry));
}

void CodeState::remove(Entry* entry, const std::string& reason) {
    entry->home = nullptr;
    entry->removed = reason;
    entry->program.on_death = nullptr;
    if (lookups_ > 0) {
        swept_late_ = true;
    } else {
        sweep();
    }
}

void CodeState::sweep() {
    swept_late_ = false;
    // Releasing an entry can run Python code, so first take them out.
    auto gone = std::stable_partition(entries_.begin(), entries_.end(), [](const EntryPtr& entry) {
        return entry->home != nullptr;
    });
    std::vector<EntryPtr> removed(std::make_move_iterator(gone),
                                  std::make_move_iterator(entries_.end()));
    entries_.erase(gone, entries_.end());
}

void CodeState::reset(const std::string& reason) {
    skip_reason.clear();
    for (const EntryPtr& entry : std::vector<EntryPtr>(entries_)) {
        if (entry->home != nullptr) remove(entry.get(), reason);
    }
}

EntryPtr install_entry(PyCodeObject* code, PyCodeObject* replacement,
                       const std::vector<GuardPtr>& guards,
                       const std::vector<PyObject*>& depends_on, size_t limit) {
    CodeState* state = CodeState::create(code);
    if (state == nullptr) throw pybind11::error_already_set();
    auto entry = std::make_shared<Entry>();
    entry->program.compile(code, state->slots(), guards);
    require_same_interface(code, replacement);
    for (PyObject* object : depends_on) {
        if (!entry->program.watch(object, -1, short_repr(object))) {
            raise(PyExc_TypeError, "an entry can depend only on objects that have weak references; " +
                                       short_repr(object) + " has none");
        }
    }
    entry->replacement = Ref::borrow(reinterpret_cast<PyObject*>(replacement));
    entry->program.owner = entry.get();
    entry->program.on_death = [](void* owner) {
        auto* dying = static_cast<Entry*>(owner);
        if (dying->home != nullptr) dying->home->remove(dying, "an object it depends on died");
    };
    make_frames_fit(code, replacement);
    state->add(entry, limit);
    return entry;
}

}  // namespace framejit
