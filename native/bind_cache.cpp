#include <algorithm>

#include "bindings.h"
#include "code_cache.h"
#include "eval_hook.h"
#include "recorder.h"

namespace py = pybind11;

namespace framejit {

namespace {

size_t cache_limit = 64;

PyCodeObject* as_code(const py::object& object, const char* what) {
    if (!PyCode_Check(object.ptr())) {
        throw py::type_error(std::string(what) + " must be a code object; pass function.__code__");
    }
    return reinterpret_cast<PyCodeObject*>(object.ptr());
}

EntryPtr install(const py::object& code, const py::object& replacement,
                 const std::vector<GuardPtr>& guards, const py::iterable& depends_on) {
    std::vector<py::object> kept;
    std::vector<PyObject*> objects;
    for (py::handle object : depends_on) {
        kept.push_back(py::reinterpret_borrow<py::object>(object));
        objects.push_back(object.ptr());
    }
    return install_entry(as_code(code, "code"), as_code(replacement, "replacement"), guards,
                         objects, cache_limit);
}

std::vector<EntryPtr> entries(const py::object& code) {
    CodeState* state = CodeState::of(as_code(code, "code"));
    std::vector<EntryPtr> living;
    if (state == nullptr) return living;
    for (const EntryPtr& entry : state->entries()) {
        if (entry->home != nullptr) living.push_back(entry);
    }
    return living;
}

bool same_layout(const SlotTable& one, const SlotTable& other) {
    const std::vector<Variable>&left = one.variables(), &right = other.variables();
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const Variable& a, const Variable& b) {
                          return a.name == b.name && a.slot.storage == b.slot.storage &&
                                 a.slot.index == b.slot.index;
                      });
}

const GuardProgram& program_for(const Entry& entry, const FrameAccess& access) {
    view_of(access);  // once the frame runs, its table may be gone
    if (entry.home == nullptr) throw py::value_error("this entry was removed: " + entry.removed);
    if (!same_layout(entry.home->slots(), *access.table)) {
        throw py::value_error("the frame's code has other variables than the entry's");
    }
    return entry.program;
}

void reset(const py::object& code) {
    if (code.is_none()) {
        CodeState::reset_all("reset");
    } else if (CodeState* state = CodeState::of(as_code(code, "code"))) {
        state->reset("reset");
    }
}

void skip(const py::object& code, const std::string& reason) {
    if (reason.empty()) throw py::value_error("say why the code is skipped");
    CodeState* state = CodeState::create(as_code(code, "code"));
    if (state == nullptr) throw py::error_already_set();
    state->skip_reason = reason;
}

size_t set_cache_limit(Py_ssize_t limit) {
    if (limit < 1) throw py::value_error("the cache must hold at least one entry a code object");
    return std::exchange(cache_limit, static_cast<size_t>(limit));
}

void check_callback(const py::object& callback) {
    if (!callback.is_none() && !PyCallable_Check(callback.ptr())) {
        throw py::type_error("the callback must be callable, or None to have none");
    }
}

py::object given_back(Ref previous) {
    if (!previous) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(previous.release());
}

py::object set_callback(const py::object& callback) {
    check_callback(callback);
    return given_back(set_thread_callback(callback.ptr()));
}

py::object begin(const py::object& callback) {
    check_callback(callback);
    return given_back(begin_region(callback.ptr()));
}

py::object handed_over(const py::function& function, const py::list& arguments, int own_calls) {
    if (!PyFunction_Check(function.ptr())) throw py::type_error("only a Python function takes over");
    PyObject* result = hand_over(function.ptr(), arguments.ptr(), own_calls);
    if (result == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(result);
}

void end(const py::object& before) {
    check_callback(before);
    if (!end_region(before.ptr())) throw py::error_already_set();
}

}  // namespace

void bind_cache(py::module_& module) {
    py::class_<Entry, EntryPtr>(module, "Entry",
                                "One compiled version of a code object: a replacement and the "
                                "guards under which it runs.")
        .def_property_readonly(
            "replacement",
            [](const Entry& e) { return py::reinterpret_borrow<py::object>(e.replacement.get()); },
            "The code that runs.")
        .def(
            "check",
            [](const Entry& entry, const FrameAccess& frame, Design design) {
                return check_on(program_for(entry, frame), frame, design);
            },
            py::arg("frame"), py::arg("design") = Design::Frame,
            "Whether its guards hold for a frame, of its code or of code with the same variables.")
        .def(
            "explain",
            [](const Entry& entry, const FrameAccess& frame, Design design) {
                return explain_on(program_for(entry, frame), frame, design);
            },
            py::arg("frame"), py::arg("design") = Design::Frame,
            "None if its guards hold, else the Failure.")
        .def_readonly("hits", &Entry::hits, "How often it ran.")
        .def_readonly("errors", &Entry::errors, "How many checks met an exception.")
        .def_readonly("last_error", &Entry::last_error,
                      "The last of these: the guard and the exception.")
        .def_property_readonly(
            "guards",
            [](const Entry& entry) {
                std::vector<std::pair<std::string, std::string>> texts;
                for (size_t i = 0; i < entry.program.guard_count(); ++i) {
                    texts.emplace_back(entry.program.source_text(i),
                                       entry.program.expected_text(i));
                }
                return texts;
            },
            "(source, what is demanded) of each guard, in the order in which they are checked.")
        .def_property_readonly(
            "alive", [](const Entry& e) { return e.home != nullptr; }, "Whether it is installed.")
        .def_readonly("removed", &Entry::removed, "Why it was removed; empty if it was not.")
        .def("remove",
             [](Entry& entry) {
                 if (entry.home != nullptr) entry.home->remove(&entry, "removed by hand");
             },
             "Takes it out of the cache. Frames that run it go on.");

    module.def("install", &install, py::arg("code"), py::arg("replacement"),
               py::arg("guards") = py::tuple(), py::arg("depends_on") = py::tuple(),
               "Runs `replacement` in frames of `code` for which all guards hold. Its parameters "
               "and free variables must be the same (ValueError). The entry is removed when an "
               "object of `depends_on`, or one that a guard names by identity or type, dies; they "
               "are not kept alive. On 3.11 a replacement that needs more stack raises "
               "code.co_stacksize.");
    module.def("entries", &entries, py::arg("code"),
               "The entries of a code object, in the order in which they are tried.");
    module.def("reset", &reset, py::arg("code") = py::none(),
               "Removes the entries of a code object, or of all, and forgets skip().");
    module.def("skip", &skip, py::arg("code"), py::arg("reason"),
               "Never looks at frames of the code until reset(); the reason shows in verdicts.");
    module.def("set_cache_limit", &set_cache_limit, py::arg("limit"),
               "How many entries a code object may have, at first 64; returns the limit before. "
               "Installing beyond it removes the entry that has not hit for the longest time.");
    module.def(
        "set_callback", &set_callback, py::arg("callback").none(true),
        "Sets what this thread calls, with a Frame, for a frame that no entry fits; None for "
        "nothing. Returns what was set before. The callback may install entries, which are then "
        "tried, or skip the code. An exception goes to sys.unraisablehook and the frame runs "
        "as it is; KeyboardInterrupt is raised in the frame. Frames that the callback itself runs "
        "are not offered to it.");
    module.def("begin", &begin, py::arg("callback").none(true),
               "Begins a region, until end(): the hook is in, and this thread has the callback. "
               "Returns what end() takes.");
    module.def("hand_over", &handed_over, py::arg("function"), py::arg("arguments"),
               py::arg("own_calls") = 0,
               "Calls a Python function with the items of a list, which is emptied: in a region they "
               "are the function's alone, and die where it lets go of them. While it runs, `own_calls` "
               "calls do not count towards the recursion limit. RecursionError where the C stack is "
               "nearly used up.");
    module.def("end", &end, py::arg("before").none(true),
               "Ends a region: this thread has the callback from before, and the hook is taken out "
               "where it was the last region and nobody has called enable(). ValueError where none "
               "has begun.");
}

void bind_recorder(py::module_& module) {
    py::class_<Verdict>(module, "Verdict", "What was decided about one frame.")
        .def_property_readonly(
            "code",
            [](const Verdict& v) { return py::reinterpret_borrow<py::object>(v.code.get()); },
            "The frame's code object.")
        .def_property_readonly(
            "outcome", [](const Verdict& v) { return outcome_name(v.outcome); },
            "'hit': an entry ran; 'compiled': none held, but the callback installed one, which "
            "ran; 'miss': no entry's guards held; 'no entry'; 'skipped': see reason.")
        .def_readonly("entry", &Verdict::entry, "The entry that ran, or None.")
        .def_property_readonly(
            "failures",
            [](const Verdict& verdict) {
                py::list failures;
                for (const EntryFailure& each : verdict.failures) {
                    failures.append(py::make_tuple(each.entry, each.failure));
                }
                return failures;
            },
            "(entry, Failure) of each entry that was tried before and did not hold.")
        .def_readonly("reason", &Verdict::reason, "Why the frame was skipped.")
        .def("__repr__", [](const Verdict& v) {
            auto* code = reinterpret_cast<PyCodeObject*>(v.code.get());
            return "<Verdict " + py::str(code->co_name).cast<std::string>() + ": " +
                   outcome_name(v.outcome) + (v.reason.empty() ? "" : ", " + v.reason) + ">";
        });
    py::class_<Recorder>(module, "Recorder",
                         "Records a verdict for each frame that this thread evaluates, in the "
                         "order of entry, while it is on. A context manager.")
        .def(py::init<>())
        .def(
            "start",
            [](py::object self) {
                auto& recorder = self.cast<Recorder&>();
                if (this_thread().recorder != nullptr) {
                    throw std::runtime_error(
                        "this thread has a recorder that is on; stop that first");
                }
                if (recorder.running) {
                    throw std::runtime_error("this recorder is on in another thread");
                }
                if (!set_thread_recorder(self.ptr(), &recorder)) throw py::error_already_set();
                recorder.running = true;
            },
            "RuntimeError if this thread has another that is on.")
        .def(
            "stop",
            [](Recorder& recorder) {
                if (this_thread().recorder != &recorder) {
                    throw std::runtime_error("this recorder is not on in this thread");
                }
                recorder.running = false;
                set_thread_recorder(Py_None, nullptr);
            },
            "RuntimeError if it is not on in this thread.")
        .def("__enter__",
             [](py::object self) {
                 self.attr("start")();
                 return self;
             })
        .def("__exit__",
             [](py::object self, py::object, py::object, py::object) { self.attr("stop")(); })
        .def("clear", [](Recorder& recorder) { recorder.verdicts.clear(); },
             "Forgets the verdicts so far.")
        .def_property_readonly(
            "verdicts",
            [](const Recorder& recorder) { return recorder.verdicts; },
            "The verdicts so far.");
}

}  // namespace framejit
