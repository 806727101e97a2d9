// Putting objects and exceptions into words.
#pragma once

#include <string>

#include "compat.h"
#include "ref.h"

namespace framejit {

// repr(object) cut to a readable length; says so when repr raises. Leaves no exception set.
std::string short_repr(PyObject* object, size_t limit = 120);

// The exception that was set, taken out of the thread.
class Raised {
public:
    static Raised take();
    std::string text() const;  // "Type: message"
    bool interrupt() const;
    // An interrupt by the user is nobody's to swallow: it is raised as soon as Python code runs.
    void raise_again_if_interrupt() const;
    void write_unraisable(PyObject* where) const;

private:
    Ref type_, value_, traceback_;
};

// The text of the exception that is set, which is cleared; an interrupt is raised again later.
std::string take_error();

// Raises a Python exception through C++.
[[noreturn]] void raise(PyObject* exception, const std::string& message);

}  // namespace framejit
