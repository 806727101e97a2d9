#include "tensor_probe.h"

#include <pybind11/pybind11.h>

#include "errors.h"

namespace py = pybind11;

namespace framejit {

namespace {

// Reads ints, or None for "may vary", from a sequence.
std::vector<int64_t> read_extents(PyObject* sequence, const char* what) {
    std::vector<int64_t> extents;
    for (py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
        if (item.is_none()) {
            extents.push_back(kAnySize);
        } else if (PyLong_CheckExact(item.ptr())) {
            extents.push_back(item.cast<int64_t>());
        } else {
            raise(PyExc_TypeError, std::string(what) + " must hold ints and None, not " +
                                      short_repr(item.ptr()) +
                                      "; relate symbolic sizes with Guard.relation");
        }
    }
    return extents;
}

// A with statement.
class Within {
public:
    explicit Within(py::object context) : context_(std::move(context)) {
        context_.attr("__enter__")();
    }
    ~Within() {
        Ref left = Ref::steal(PyObject_CallMethod(context_.ptr(), "__exit__", "OOO", Py_None,
                                                  Py_None, Py_None));
        if (!left) PyErr_WriteUnraisable(context_.ptr());
    }

private:
    py::object context_;
};

struct SampleTensors {
    // Made with neither a view nor a gradient; with a gradient; neither of these.
    std::vector<py::object> fresh, differentiable, others;
};

// Tensors that differ in all that is looked for in memory.
SampleTensors sample_tensors(const py::module_& torch) {
    using sizes = std::vector<int>;
    auto tuple_of = [](const sizes& shape) { return py::tuple(py::cast(shape)); };
    SampleTensors samples;
    py::object ones = torch.attr("ones");
    const py::arg device("device"), dtype("dtype"), requires_grad("requires_grad");
    {
        Within plain(torch.attr("inference_mode")(false)), grad(torch.attr("enable_grad")());
        for (const char* name : {"float32", "float64", "float16", "bfloat16", "int64", "int32",
                                 "int16", "int8", "uint8", "bool", "complex64", "complex128"}) {
            for (const auto& shape : {sizes{3}, sizes{2, 1, 4}}) {
                samples.fresh.push_back(
                    ones(tuple_of(shape), dtype = torch.attr(name), device = "cpu"));
            }
        }
        for (const auto& shape : {sizes{}, sizes{0, 5}, sizes{5, 4, 3, 2, 6},
                                  sizes{2, 3, 4, 5, 6, 7}, sizes{7, 6, 5, 4, 3, 2, 1}}) {
            samples.fresh.push_back(ones(tuple_of(shape), device = "cpu"));
        }
        samples.fresh.push_back(ones(tuple_of({2, 3}), device = "meta"));
        samples.fresh.push_back(torch.attr("_efficientzerotensor")(2, device = "cpu"));

        py::object leaf = ones(tuple_of({2, 3}), requires_grad = true, device = "cpu");
        samples.differentiable = {leaf, leaf.attr("mul")(2), leaf.attr("t")()};

        py::object complex = ones(2, dtype = torch.attr("complex64"), device = "cpu");
        py::object row = ones(tuple_of({2, 3, 4}), device = "cpu");
        samples.others = {complex.attr("conj")(), torch.attr("_neg_view")(ones(2, device = "cpu")),
                          row.attr("transpose")(0, 2), row.attr("to_sparse")()};
    }
    Within inference(torch.attr("inference_mode")());
    samples.fresh.push_back(ones(2, device = "cpu"));
    return samples;
}

}  // namespace

void TensorProbe::Getter::bind(PyObject* tensor_base, const char* name) {
    descriptor = Ref::steal(PyObject_GetAttrString(tensor_base, name));
    if (!descriptor) throw py::error_already_set();
    if (Py_IS_TYPE(descriptor.get(), &PyGetSetDescr_Type)) {
        PyGetSetDef* def = reinterpret_cast<PyGetSetDescrObject*>(descriptor.get())->d_getset;
        get = def->get;
        closure = def->closure;
    } else if (Py_IS_TYPE(descriptor.get(), &PyMethodDescr_Type)) {
        PyMethodDef* def = reinterpret_cast<PyMethodDescrObject*>(descriptor.get())->d_method;
        if ((def->ml_flags & ~METH_COEXIST) == METH_NOARGS) call = def->ml_meth;
    }
}

Ref TensorProbe::Getter::read(PyObject* tensor) const {
    if (get != nullptr) return Ref::steal(get(tensor, closure));
    if (call != nullptr) return Ref::steal(call(tensor, nullptr));
    return Ref::steal(PyObject_CallOneArg(descriptor.get(), tensor));
}

TensorProbe* TensorProbe::instance_ = nullptr;

const TensorProbe* TensorProbe::ready() { return instance_; }

const TensorProbe* TensorProbe::get() {
    if (instance_ != nullptr) {
        instance_->learn_layout();
        return instance_;
    }
    // Lives as long as the process: what it holds belongs to torch, which is never unloaded.
    auto* probe = new TensorProbe();
    try {
        probe->start();
        probe->learn_layout();
    } catch (...) {
        delete probe;
        throw;
    }
    instance_ = probe;
    return instance_;
}

void TensorProbe::start() {
    py::module_ torch = py::module_::import("torch");
    py::object core = torch.attr("_C");
    PyObject* base = core.attr("TensorBase").ptr();
    tensor_base_ = Ref::borrow(base);
    tensor_ = Ref::borrow(torch.attr("Tensor").ptr());
    dtype_.bind(base, "dtype");
    device_.bind(base, "device");
    layout_.bind(base, "layout");
    shape_.bind(base, "shape");
    stride_.bind(base, "stride");
    requires_grad_.bind(base, "requires_grad");
    is_conj_.bind(base, "is_conj");
    is_neg_.bind(base, "is_neg");
    is_inference_.bind(base, "is_inference");

    // DispatchKeySet.raw_repr came after torch 2.3.
    if (py::hasattr(core, "DispatchKeySet") &&
        py::hasattr(core.attr("DispatchKeySet"), "raw_repr")) {
        dispatch_keys_ = Ref::borrow(core.attr("_dispatch_keys").ptr());
    }
}

void TensorProbe::learn_layout() {
    if (memory_.found() || tries_left_ == 0 || !dispatch_keys_) return;
    try {
        py::module_ torch = py::module_::import("torch");
        Within no_modes(torch.attr("_C").attr("DisableTorchFunction")());
        // A transform or a mode that is in makes tensors of its own: it will be gone another time.
        if (!torch.attr("_C").attr("_functorch").attr("peek_interpreter_stack")().is_none()) return;
        const SampleTensors tensors = sample_tensors(torch);
        if (!py::type::of(tensors.fresh[0]).is(torch.attr("Tensor"))) return;

        --tries_left_;
        const py::object strided = torch.attr("strided");
        std::vector<TensorSample> samples;
        auto add = [&](const py::object& tensor, std::optional<bool> has_autograd_meta) {
            TensorSample sample{};
            sample.tensor = tensor.ptr();
            sample.address = tensor.attr("_cdata").cast<uintptr_t>();
            if (!ask_keys(tensor.ptr(), &sample.keys)) throw py::error_already_set();
            sample.dtype = tensor.attr("dtype").ptr();
            sample.strided = strided.is(tensor.attr("layout"));
            sample.sizes = read_extents(tensor.attr("shape").ptr(), "shape");
            if (sample.strided) {
                sample.strides = read_extents(tensor.attr("stride")().ptr(), "strides");
            }
            sample.has_autograd_meta = has_autograd_meta;
            samples.push_back(std::move(sample));
        };
        for (const py::object& tensor : tensors.fresh) add(tensor, false);
        for (const py::object& tensor : tensors.differentiable) add(tensor, true);
        for (const py::object& tensor : tensors.others) add(tensor, std::nullopt);
        if (!memory_.find(samples)) return;
        for (const TensorSample& sample : samples) {
            const bool on_cpu = py::handle(sample.tensor).attr("is_cpu").cast<bool>();
            if (sample.strided && on_cpu && !reads_in_memory(sample.keys)) {
                known_keys_.push_back(sample.keys);
            }
        }
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) throw;
        // This torch lacks one of the samples: the facts are then read through attributes.
        --tries_left_;
    }
}

bool TensorProbe::is_tensor(PyObject* object) const {
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(tensor_base_.get()));
}

bool TensorProbe::ask_keys(PyObject* tensor, uint64_t* keys) const {
    Ref set = Ref::steal(PyObject_CallOneArg(dispatch_keys_.get(), tensor));
    Ref raw = set ? Ref::steal(PyObject_CallMethod(set.get(), "raw_repr", nullptr)) : Ref();
    if (!raw) return false;
    *keys = PyLong_AsUnsignedLongLong(raw.get());
    return !PyErr_Occurred();
}

std::string TensorProbe::keys_text(PyObject* tensor) const {
    Ref set = Ref::steal(PyObject_CallOneArg(dispatch_keys_.get(), tensor));
    return short_repr(set.get(), 400);
}

TensorFact TensorProbe::fact(PyObject* example, PyObject* sizes, PyObject* strides) const {
    if (!is_tensor(example)) {
        raise(PyExc_TypeError, "Guard.tensor takes its facts from an example tensor, not " +
                                  short_repr(example) + "; use Guard.type for other objects");
    }
    auto read = [&](const Getter& getter) {
        Ref value = getter.read(example);
        if (!value) throw py::error_already_set();
        return value;
    };
    TensorFact fact;
    fact.type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(example)));
    fact.dtype = read(dtype_);
    fact.device = read(device_);
    fact.layout = read(layout_);
    fact.requires_grad = PyObject_IsTrue(read(requires_grad_).get()) == 1;
    fact.conjugate = PyObject_IsTrue(read(is_conj_).get()) == 1;
    fact.negative = PyObject_IsTrue(read(is_neg_).get()) == 1;
    fact.inference = PyObject_IsTrue(read(is_inference_).get()) == 1;

    fact.sizes = read_extents(read(shape_).get(), "the example's shape");
    Ref own_strides = stride_.read(example);
    if (own_strides) {
        fact.strides = read_extents(own_strides.get(), "the example's strides");
    } else {
        PyErr_Clear();  // sparse and nested layouts have no strides
        fact.strided = false;
    }
    if (dispatch_keys_) {
        fact.keyed = true;
        if (!read_keys(example, &fact.keys)) throw py::error_already_set();
        fact.keys_text = keys_text(example);
    }
    // A subclass can give other answers than torch would.
    fact.in_memory = reads_in_memory(fact.keys) && agrees_with_memory(example, fact);
    if (fact.in_memory) fact.dtype_number = memory_.of(example).dtype();

    auto replace = [&](PyObject* given, std::vector<int64_t>* extents, const char* what) {
        if (given == Py_None) return;
        std::vector<int64_t> replaced = read_extents(given, what);
        if (replaced.size() != fact.sizes.size()) {
            raise(PyExc_ValueError, std::string(what) + " has " + std::to_string(replaced.size()) +
                                       " entries, but the example has " +
                                       std::to_string(fact.sizes.size()) + " dimensions");
        }
        *extents = std::move(replaced);
    };
    replace(sizes, &fact.sizes, "sizes");
    if (strides != Py_None && !fact.strided) {
        raise(PyExc_ValueError, "the example's layout has no strides; leave strides out");
    }
    replace(strides, &fact.strides, "strides");
    return fact;
}

bool TensorProbe::agrees_with_memory(PyObject* example, const TensorFact& fact) const {
    const TensorLayout::Fields fields = memory_.of(example);
    const auto dimensions = static_cast<size_t>(fields.dimensions());
    return fact.strided && dimensions == fact.sizes.size() &&
           std::equal(fact.sizes.begin(), fact.sizes.end(), fields.sizes()) &&
           std::equal(fact.strides.begin(), fact.strides.end(), fields.strides()) &&
           (fields.has_autograd_meta() || !fact.requires_grad);
}

bool TensorProbe::size(PyObject* tensor, Py_ssize_t dim, int64_t* size) const {
    // A subclass can have a shape of its own.
    if (!has_layout() || reinterpret_cast<PyObject*>(Py_TYPE(tensor)) != tensor_.get()) return false;
    const TensorLayout::Fields fields = memory_.of(tensor);
    if (!reads_in_memory(fields.keys()) || dim >= fields.dimensions()) return false;
    *size = fields.sizes()[dim];
    return true;
}

std::string TensorFact::text() const {
    auto extents = [](const std::vector<int64_t>& values) {
        std::string text = "(";
        for (size_t i = 0; i < values.size(); ++i) {
            if (i > 0) text += ", ";
            text += values[i] == kAnySize ? "any" : std::to_string(values[i]);
        }
        return text + (values.size() == 1 ? ",)" : ")");
    };
    std::string text = std::string("a ") +
                       reinterpret_cast<PyTypeObject*>(type.get())->tp_name + " of " +
                       short_repr(dtype.get()) + " on " + short_repr(device.get()) + ", shape " +
                       extents(sizes);
    if (strided) text += ", strides " + extents(strides);
    if (requires_grad) text += ", requires_grad";
    if (conjugate) text += ", conj bit";
    if (negative) text += ", neg bit";
    if (inference) text += ", inference";
    return text;
}

}  // namespace framejit
