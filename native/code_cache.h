// CodeState and Entry: the compiled versions of a code object, kept on its co_extra.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frame_layout.h"
#include "guard_program.h"

namespace framejit {

class CodeState;

// One compiled version: run `replacement` in place of the code when the guards hold.
struct Entry {
    CodeState* home = nullptr;  // null once removed
    Ref replacement;
    GuardProgram program;
    uint64_t hits = 0;
    uint64_t errors = 0;      // checks that met an exception
    std::string last_error;   // and the last of them
    std::string removed;      // why it was removed; empty while it is in the cache
};

using EntryPtr = std::shared_ptr<Entry>;

struct EntryFailure {
    EntryPtr entry;
    Failure failure;
};

// Owned by its code object. The entry that hit last comes first. At the limit, installing removes
// the entry that has not hit for the longest time.
class CodeState {
public:
    // The state of a code object; null if it has none. `create` makes one, and returns null with
    // a Python exception if it cannot.
    static CodeState* of(PyCodeObject* code) {
        void* extra = nullptr;
        get_code_extra(code, extra_index_, &extra);
        return static_cast<CodeState*>(extra);
    }
    static CodeState* create(PyCodeObject* code);
    static bool start();     // once a process; false with an exception
    static void reset_all(const char* reason);

    ~CodeState();

    bool has_entries() const { return !entries_.empty(); }
    const std::vector<EntryPtr>& entries() const { return entries_; }
    const SlotTable& slots() const { return *slots_; }
    PyCodeObject* code() const { return code_; }

    // The entry that comes first, if a few comparisons tell that its guards hold; null says nothing.
    Entry* hit_at_once(const VariableReader& variables) const {
        Entry* first = entries_.front().get();
        return first->home != nullptr && first->program.holds_at_once(variables) ? first : nullptr;
    }

    // The first entry whose guards hold, or null. `failures`, if given, gets why each entry
    // before it did not hold, by an explaining check.
    Entry* lookup(FrameView& view, Design design, std::vector<EntryFailure>* failures);

    void add(EntryPtr entry, size_t limit);
    void remove(Entry* entry, const std::string& reason);
    void reset(const std::string& reason);

    std::string skip_reason;  // not empty: never offer this code to the callback

private:
    explicit CodeState(PyCodeObject* code) : code_(code) {}
    void sweep();

    static Py_ssize_t extra_index_;

    PyCodeObject* code_;  // borrowed: the code owns this
    std::unique_ptr<SlotTable> slots_;
    std::vector<EntryPtr> entries_;
    // Guards can run Python code, which may come back here. While a lookup is under way entries
    // are neither moved nor freed: new ones go to the end, removed ones stay until the last
    // lookup is over.
    int lookups_ = 0;
    bool swept_late_ = false;
};

// Checks that `replacement` may run in place of `code` and makes the entry; throws
// pybind11::error_already_set (ValueError, TypeError) saying what to do otherwise.
EntryPtr install_entry(PyCodeObject* code, PyCodeObject* replacement,
                       const std::vector<GuardPtr>& guards,
                       const std::vector<PyObject*>& depends_on, size_t limit);

}  // namespace framejit
