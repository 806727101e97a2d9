#include "bindings.h"
#include "relation.h"
#include "source.h"

namespace py = pybind11;

namespace framejit {

namespace {

SourcePtr root(SourceKind kind, const py::object& name) { return make_root(kind, name.ptr()); }

SourcePtr keyed(SourceKind kind, const SourcePtr& base, const py::object& key) {
    return derive(kind, base, key.ptr(), 0);
}

SourcePtr indexed(SourceKind kind, const SourcePtr& base, Py_ssize_t index) {
    return derive(kind, base, nullptr, index);
}

ExprPtr as_expr(const py::object& operand) {
    if (py::isinstance<Expr>(operand)) return operand.cast<ExprPtr>();
    return constant_expr(operand.ptr());
}

void bind_source(py::module_& module) {
    py::class_<Source, std::shared_ptr<Source>>(
        module, "Source",
        "Where a guarded value comes from: a variable of the frame, a global or a builtin, and "
        "what is reached from it. Immutable. A source that leads nowhere (an unbound variable, "
        "an attribute, key or index that is not there) yields nothing, which only Guard.absent "
        "accepts.")
        .def_static(
            "local", [](py::object name) { return root(SourceKind::Local, name); },
            py::arg("name"), "A name in co_varnames. Before the body runs only arguments are bound.")
        .def_static(
            "cell", [](py::object name) { return root(SourceKind::Cell, name); },
            py::arg("name"), "The content of a name in co_cellvars; bound if it is an argument.")
        .def_static(
            "free", [](py::object name) { return root(SourceKind::Free, name); },
            py::arg("name"), "The content of a free variable, a name in co_freevars.")
        .def_static(
            "global_", [](py::object name) { return root(SourceKind::Global, name); },
            py::arg("name"), "A name in the function's globals (not its builtins).")
        .def_static(
            "builtin", [](py::object name) { return root(SourceKind::Builtin, name); },
            py::arg("name"), "A name in the function's builtins.")
        .def(
            "attribute",
            [](const SourcePtr& base, py::object name) {
                return keyed(SourceKind::Attribute, base, name);
            },
            py::arg("name"), "getattr(this, name); AttributeError means that there is nothing.")
        .def(
            "item",
            [](const SourcePtr& base, py::object key) {
                return keyed(SourceKind::Item, base, key);
            },
            py::arg("key"), "this[key]; KeyError and IndexError mean that there is nothing.")
        .def(
            "dict_key",
            [](const SourcePtr& base, Py_ssize_t index) {
                return indexed(SourceKind::DictKey, base, index);
            },
            py::arg("index"), "The key at a place, from 0, in the order of a dict.")
        .def(
            "closure",
            [](const SourcePtr& base, Py_ssize_t index) {
                return indexed(SourceKind::ClosureCell, base, index);
            },
            py::arg("index"), "The content of a cell of a function's closure, from 0.")
        .def(
            "default",
            [](const SourcePtr& base, Py_ssize_t index) {
                return indexed(SourceKind::Default, base, index);
            },
            py::arg("index"), "An entry of a function's __defaults__, from 0.")
        .def(
            "keyword_default",
            [](const SourcePtr& base, py::object name) {
                return keyed(SourceKind::KeywordDefault, base, name);
            },
            py::arg("name"), "An entry of a function's __kwdefaults__.")
        .def(
            "type", [](const SourcePtr& base) { return derive(SourceKind::Type, base, nullptr, 0); },
            "type(this).")
        .def(
            "instance_dict",
            [](const SourcePtr& base) {
                return derive(SourceKind::InstanceDict, base, nullptr, 0);
            },
            "The object's own __dict__, whatever its class says of that name; nothing for classes.")
        .def_property_readonly(
            "text", [](const Source& source) { return source.text; },
            "The source as a Python expression.")
        .def("__repr__",
             [](const Source& source) { return "<Source " + source.text + ">"; });
}

template <class Class>
void operators(Class& cls, const char* name, const char* reflected, ExprOp op) {
    cls.def(name, [op](const ExprPtr& left, const py::object& right) {
        return binary_expr(op, left, as_expr(right));
    });
    if (reflected == nullptr) return;
    cls.def(reflected, [op](const ExprPtr& right, const py::object& left) {
        return binary_expr(op, as_expr(left), right);
    });
}

void bind_expr(py::module_& module) {
    py::class_<Expr, std::shared_ptr<Expr>> cls(
        module, "Expr",
        "A sum, product, quotient or comparison of sizes and ints, for Guard.relation. Made by "
        "Expr.size and Expr.int and the operators + - * // % == != < <= > >=.");
    cls.def_static("size", &size_expr, py::arg("source"), py::arg("dim"),
                   "source.shape[dim]; dim counts from 0.");
    cls.def_static("int", &int_expr, py::arg("source"),
                   "The value of a source, which must be exactly an int.");
    operators(cls, "__add__", "__radd__", ExprOp::Add);
    operators(cls, "__sub__", "__rsub__", ExprOp::Subtract);
    operators(cls, "__mul__", "__rmul__", ExprOp::Multiply);
    operators(cls, "__floordiv__", "__rfloordiv__", ExprOp::FloorDivide);
    operators(cls, "__mod__", "__rmod__", ExprOp::Modulo);
    operators(cls, "__eq__", nullptr, ExprOp::Equal);
    operators(cls, "__ne__", nullptr, ExprOp::NotEqual);
    operators(cls, "__lt__", nullptr, ExprOp::Less);
    operators(cls, "__le__", nullptr, ExprOp::LessEqual);
    operators(cls, "__gt__", nullptr, ExprOp::Greater);
    operators(cls, "__ge__", nullptr, ExprOp::GreaterEqual);
    cls.attr("__hash__") = py::none();
    // A comparison builds an Expr: as a condition it would silently be true.
    cls.def("__bool__", [](const Expr& expr) -> bool {
        throw py::type_error(expr.text + " is a relation to guard on, not a truth value");
    });
    cls.def_property_readonly(
        "text", [](const Expr& expr) { return expr.text; }, "The expression in Python.");
    cls.def("__repr__", [](const Expr& expr) { return "<Expr " + expr.text + ">"; });
}

}  // namespace

void bind_sources(py::module_& module) {
    bind_source(module);
    bind_expr(module);
}

}  // namespace framejit
