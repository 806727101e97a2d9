#include "bindings.h"
#include "code_cache.h"
#include "eval_hook.h"
#include "frame_handle.h"

namespace py = pybind11;

namespace framejit {

Ref frame_handle(FrameView& view, const SlotTable& table) {
    try {
        return Ref::steal(py::cast(view.access(table)).release().ptr());
    } catch (py::error_already_set& error) {
        error.restore();
        return Ref();
    }
}

FrameView& view_of(const FrameAccess& access) {
    if (access.view == nullptr) {
        throw std::runtime_error(
            "this frame has begun to run; look at it, and keep what you need, inside the callback");
    }
    return *access.view;
}

namespace {

py::object borrowed(PyObject* object) {
    return object == nullptr ? py::none() : py::reinterpret_borrow<py::object>(object);
}

py::object read(const FrameAccess& access, Scope scope, const py::object& name) {
    FrameView& view = view_of(access);
    if (!PyUnicode_CheckExact(name.ptr())) throw py::type_error("a variable's name is a str");
    Slot slot;
    if (!access.table->find(scope, name.ptr(), &slot)) throw py::error_already_set();
    PyObject* value = view.load(slot);
    if (value == nullptr) {
        PyErr_Format(PyExc_LookupError, "%s %R is not bound when the frame starts",
                     scope_name(scope), name.ptr());
        throw py::error_already_set();
    }
    return borrowed(value);
}

const char* storage_name(Storage storage) {
    switch (storage) {
        case Storage::Fast: return "fast";
        case Storage::Boxed: return "boxed";
        case Storage::Closure: return "closure";
        default: return "unbound";
    }
}

}  // namespace

void bind_frames(py::module_& module) {
    using Class = py::class_<FrameAccess, std::shared_ptr<FrameAccess>>;
    auto frame = py::reinterpret_borrow<Class>(module.attr("Frame"));
    frame
        .def_property_readonly(
            "code",
            [](const FrameAccess& a) {
                return borrowed(reinterpret_cast<PyObject*>(view_of(a).code()));
            },
            "The code object that is about to run.")
        .def_property_readonly(
            "function", [](const FrameAccess& a) { return borrowed(view_of(a).function()); },
            "The function that was called; None on 3.10, whose frames do not know it.")
        .def_property_readonly(
            "globals", [](const FrameAccess& a) { return borrowed(view_of(a).globals()); },
            "The function's globals.")
        .def_property_readonly(
            "builtins", [](const FrameAccess& a) { return borrowed(view_of(a).builtins()); },
            "The function's builtins.")
        .def_property_readonly(
            "locals",
            [](const FrameAccess& a) {
                PyObject* locals = view_of(a).locals(*a.table);
                if (locals == nullptr) throw py::error_already_set();
                return borrowed(locals);
            },
            "A dict of the bound variables, name for name what frame.f_locals shows when the body "
            "starts; made once a frame. Changing it changes no variable.")
        .def(
            "local",
            [](const FrameAccess& a, py::object name) { return read(a, Scope::Local, name); },
            py::arg("name"),
            "The value of a local; ValueError if the code has none of that name, LookupError if "
            "it is unbound.")
        .def(
            "cell",
            [](const FrameAccess& a, py::object name) { return read(a, Scope::Cell, name); },
            py::arg("name"), "The content of a cell variable; raises as local does.")
        .def(
            "free",
            [](const FrameAccess& a, py::object name) { return read(a, Scope::Free, name); },
            py::arg("name"), "The content of a free variable; raises as local does.")
        .def(
            "slot",
            [](const FrameAccess& a, Py_ssize_t index) {
                FrameView& view = view_of(a);
                const auto& variables = a.table->variables();
                if (index < 0 || static_cast<size_t>(index) >= variables.size()) {
                    throw py::index_error("slot " + std::to_string(index) +
                                          " is out of range: the frame has " +
                                          std::to_string(variables.size()) +
                                          " variables that can be bound at its start");
                }
                const Variable& variable = variables[index];
                return py::make_tuple(borrowed(variable.name), borrowed(view.load(variable.slot)));
            },
            py::arg("index"),
            "(name, value) of a variable by its place among those that can be bound at the "
            "start; IndexError outside.");

    module.def(
        "slots",
        [](const py::object& code) {
            if (!PyCode_Check(code.ptr())) throw py::type_error("slots() needs a code object");
            CodeState* state = CodeState::create(reinterpret_cast<PyCodeObject*>(code.ptr()));
            if (state == nullptr) throw py::error_already_set();
            py::list slots;
            for (const Variable& variable : state->slots().variables()) {
                slots.append(py::make_tuple(borrowed(variable.name),
                                            storage_name(variable.slot.storage),
                                            variable.slot.index));
            }
            return slots;
        },
        py::arg("code"),
        "(name, storage, index) of every variable that can be bound when a frame of the code "
        "starts; storage is 'fast' (the value in localsplus), 'boxed' (a cell there) or 'closure' "
        "(a cell of the function's closure).");
    module.def("enable", &enable_hook,
               "Installs the evaluation hook. An evaluator that is installed already goes on "
               "getting every frame.");
    module.def("disable", &disable_hook,
               "Takes the evaluation hook out; in a region, when that ends.");
    module.def("enabled", &hook_enabled, "Whether the hook is in.");
}

}  // namespace framejit
