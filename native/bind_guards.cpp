#include "bindings.h"
#include "code_cache.h"
#include "eval_hook.h"
#include "frame_handle.h"
#include "guard_program.h"

namespace py = pybind11;

namespace framejit {

namespace {

GuardPtr of_object(Fact fact, const SourcePtr& source, const py::object& object) {
    return make_guard(fact, source, object.ptr());
}

void bind_guard(py::module_& module) {
    py::class_<Guard, std::shared_ptr<Guard>>(
        module, "Guard",
        "One fact about a source. Immutable; the static methods make them. Unless said "
        "otherwise, a source that yields nothing, or raises, fails the guard.")
        .def_static(
            "type",
            [](const SourcePtr& s, py::object cls) { return of_object(Fact::Type, s, cls); },
            py::arg("source"), py::arg("cls"),
            "type(value) is cls. The class is not kept alive; when it dies, so does the program.")
        .def_static(
            "identity",
            [](const SourcePtr& s, py::object o) { return of_object(Fact::Identity, s, o); },
            py::arg("source"), py::arg("object"),
            "value is object. The object is kept alive only if it has no weak references.")
        .def_static(
            "absent", [](const SourcePtr& s) { return make_guard(Fact::Absent, s, nullptr); },
            py::arg("source"), "The source yields nothing.")
        .def_static(
            "present", [](const SourcePtr& s) { return make_guard(Fact::Present, s, nullptr); },
            py::arg("source"), "The source yields something.")
        .def_static(
            "equals",
            [](const SourcePtr& s, py::object o) { return of_object(Fact::Equals, s, o); },
            py::arg("source"), py::arg("constant"),
            "The same exact type and value, floats by their bits: 1 is not True, 0.0 is not -0.0, "
            "nan is itself. Constants are None, Ellipsis, NotImplemented, bool, int, float, "
            "complex, str, bytes, and tuples and frozensets of these; TypeError for others.")
        .def_static("length", &make_length_guard, py::arg("source"), py::arg("length"),
                    "len(value) == length.")
        .def_static(
            "dict_keys",
            [](const SourcePtr& s, py::object keys) { return of_object(Fact::DictKeys, s, keys); },
            py::arg("source"), py::arg("keys"),
            "value is a dict whose keys, in order, are those of the tuple: constants as by equals, "
            "other objects by identity.")
        .def_static(
            "set_contents",
            [](const SourcePtr& s, py::object o) { return of_object(Fact::SetContents, s, o); },
            py::arg("source"), py::arg("contents"),
            "value is a set or frozenset, as `contents` is, of the same constants.")
        .def_static(
            "contains",
            [](const SourcePtr& s, py::object o) { return of_object(Fact::Contains, s, o); },
            py::arg("source"), py::arg("object"), "object in value.")
        .def_static(
            "lacks",
            [](const SourcePtr& s, py::object o) { return of_object(Fact::Lacks, s, o); },
            py::arg("source"), py::arg("object"), "object not in value.")
        .def_static(
            "tensor",
            [](const SourcePtr& s, py::object example, py::object sizes, py::object strides) {
                return make_tensor_guard(s, example.ptr(), sizes.ptr(), strides.ptr());
            },
            py::arg("source"), py::arg("example"), py::kw_only(), py::arg("sizes") = py::none(),
            py::arg("strides") = py::none(),
            "A tensor like the example: type, dispatch keys (conj, neg, zero, inference and "
            "functionalized tensors, layout), dtype, device, shape, strides and requires_grad. "
            "`sizes` and `strides` replace the example's, one entry a dimension; None stands for "
            "one that may vary. ImportError without torch.")
        .def_static(
            "same",
            [](std::vector<SourcePtr> s) { return make_alias_guard(Fact::Same, std::move(s)); },
            py::arg("sources"), "All sources yield the same object.")
        .def_static(
            "distinct",
            [](std::vector<SourcePtr> s) { return make_alias_guard(Fact::Distinct, std::move(s)); },
            py::arg("sources"), "No two sources yield the same object.")
        .def_static("relation", &make_relation_guard, py::arg("relation"),
                    "A comparison of sizes and ints holds; evaluated without Python. Division by "
                    "zero fails it as an error.")
        .def_static(
            "global_state", [](py::dict getters) { return make_state_guard(getters.ptr()); },
            py::arg("getters") = py::dict(),
            "The state that a compiled graph depends on is as it is now: with torch imported, all "
            "that torch.compile guards on for every graph; and what `getters`, a dict of names to "
            "zero-argument callables, return.")
        .def_static(
            "predicate",
            [](const SourcePtr& s, py::object f) { return of_object(Fact::Predicate, s, f); },
            py::arg("source"), py::arg("callable"), "callable(value) is true.")
        .def_static(
            "frame_predicate",
            [](py::object f) { return of_object(Fact::FramePredicate, nullptr, f); },
            py::arg("callable"),
            "callable(frame) is true, where frame is a Frame, valid until the check is over.")
        .def_property_readonly(
            "source", [](const Guard& guard) { return guard.source_text(); },
            "What is guarded, as Python text.")
        .def_property_readonly(
            "expected", [](const Guard& guard) { return guard.expected_text(); },
            "What is demanded of it.")
        .def_property_readonly(
            "state",
            [](const Guard& guard) {
                return guard.state ? guard.state->items()
                                   : std::vector<std::pair<std::string, std::string>>();
            },
            "The names and values that a global_state guard compares; empty for other guards.")
        .def("__repr__", [](const Guard& guard) {
            return "<Guard " + guard.source_text() + ": " + guard.expected_text() + ">";
        });
}

struct Program {
    Ref code;
    std::shared_ptr<GuardProgram> guards;
};

Program make_program(const py::object& code, const std::vector<GuardPtr>& guards) {
    if (!PyCode_Check(code.ptr())) {
        throw py::type_error("GuardProgram needs a code object; pass function.__code__");
    }
    auto* object = reinterpret_cast<PyCodeObject*>(code.ptr());
    CodeState* state = CodeState::create(object);
    if (state == nullptr) throw py::error_already_set();
    auto program = std::make_shared<GuardProgram>();
    program->compile(object, state->slots(), guards);
    return {Ref::borrow(code.ptr()), std::move(program)};
}

const GuardProgram& program_for(const Program& program, const FrameAccess& access) {
    if (reinterpret_cast<PyObject*>(view_of(access).code()) != program.code.get()) {
        throw py::value_error("this program was compiled for other code than the frame's");
    }
    return *program.guards;
}

void bind_program(py::module_& module) {
    py::enum_<Design>(module, "Design",
                      "How a check reads variables: FRAME, where they lie in the frame; or DICT, "
                      "from a dict of the locals that is made for each frame, as torch.compile did "
                      "before PyTorch PR 140063.")
        .value("FRAME", Design::Frame)
        .value("DICT", Design::Dict);
    py::class_<Failure>(module, "Failure", "The first guard that did not hold.")
        .def_readonly("guard", &Failure::guard, "Its place among the guards; -1: a dependency.")
        .def_property_readonly(
            "kind", [](const Failure& failure) { return miss_name(failure.miss); },
            "'mismatch': the value is not as demanded; 'missing': there is none; 'error': finding "
            "or comparing it raised; 'died': an object that the guard names is gone.")
        .def_readonly("source", &Failure::source, "What was guarded, as Python text.")
        .def_readonly("expected", &Failure::expected, "What was demanded.")
        .def_readonly("actual", &Failure::actual, "What was found.")
        .def("__str__", &Failure::text)
        .def("__repr__", [](const Failure& f) { return "<Failure " + f.text() + ">"; });
    py::class_<Program>(module, "GuardProgram",
                        "Guards compiled for a code object, to be checked by hand on a Frame.")
        .def(py::init(&make_program), py::arg("code"), py::arg("guards"),
             "ValueError if the code has no such variable or is a generator.")
        .def(
            "check",
            [](const Program& p, const FrameAccess& frame, Design design) {
                return check_on(program_for(p, frame), frame, design);
            },
            py::arg("frame"), py::arg("design") = Design::Frame, "Whether all guards hold.")
        .def(
            "explain",
            [](const Program& p, const FrameAccess& frame, Design design) {
                return explain_on(program_for(p, frame), frame, design);
            },
            py::arg("frame"), py::arg("design") = Design::Frame,
            "None if all guards hold, else the Failure.")
        .def("__len__", [](const Program& p) { return p.guards->guard_count(); })
        .def_property_readonly(
            "instructions", [](const Program& p) { return p.guards->instruction_count(); },
            "How many steps a check of all guards takes.")
        .def_property_readonly(
            "dead", [](const Program& p) { return p.guards->dead(); },
            "Whether an object that a guard names has died.");
    module.def("set_design", &set_design, py::arg("design"),
               "Chooses how checks read variables from now on; returns the choice before.");
    module.def(
        "tensor_support",
        [] {
            const TensorProbe* probe = TensorProbe::get();
            py::dict support;
            support["layout"] = probe->has_layout();
            return support;
        },
        "What was found in the torch that is imported: 'layout', where a tensor's properties lie "
        "in memory. Without it, tensor guards read attributes, which is slower and says the same. "
        "ImportError without torch.");
}

}  // namespace

bool check_on(const GuardProgram& program, const FrameAccess& access, Design design) {
    std::unique_ptr<Failure> failure;
    return program.check<false>(view_of(access), *access.table, design, &failure);
}

std::unique_ptr<Failure> explain_on(const GuardProgram& program, const FrameAccess& access,
                                    Design design) {
    std::unique_ptr<Failure> failure;
    if (program.check<true>(view_of(access), *access.table, design, &failure)) return nullptr;
    return failure;
}

void bind_guards(py::module_& module) {
    // Frame is bound with the frames; a program's signature names it.
    py::class_<FrameAccess, std::shared_ptr<FrameAccess>>(
        module, "Frame",
        "A frame that has not yet begun, as a callback sees it. Valid until the callback returns; "
        "RuntimeError after that.");
    bind_guard(module);
    bind_program(module);
}

}  // namespace framejit
