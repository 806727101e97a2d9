#include "tensor_probe.h"

#include <pybind11/pybind11.h>

#include "errors.h"

namespace py = pybind11;

namespace framejit {

namespace {

// The published C interface: a version, a pointer to older interfaces, five functions.
struct ExchangeAPI {
    struct {
        uint32_t major, minor;
    } version;
    void* previous;
    void* allocate;
    void* managed_from_object;
    void* managed_to_object;
    int (*from_object)(void* object, DLTensor* out);
    void* current_stream;
};

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

// Tensors that differ in their key sets, to recognise the word that holds it.
py::list sample_tensors(const py::module_& torch) {
    py::list samples;
    py::object ones = torch.attr("ones");
    samples.append(ones(3));
    samples.append(ones(py::make_tuple(2, 3), py::arg("dtype") = torch.attr("int64")));
    py::object complex = ones(2, py::arg("dtype") = torch.attr("complex64"));
    samples.append(complex);
    samples.append(complex.attr("conj")());
    samples.append(torch.attr("_neg_view")(ones(2)));
    samples.append(ones(2, py::arg("device") = "meta"));
    samples.append(ones(2).attr("to_sparse")());
    py::object inference = torch.attr("inference_mode")();
    inference.attr("__enter__")();
    samples.append(ones(2));
    inference.attr("__exit__")(py::none(), py::none(), py::none());
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
    if (instance_ != nullptr) return instance_;
    // Lives as long as the process: what it holds belongs to torch, which is never unloaded.
    auto* probe = new TensorProbe();
    try {
        probe->start();
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
    dtype_.bind(base, "dtype");
    device_.bind(base, "device");
    layout_.bind(base, "layout");
    shape_.bind(base, "shape");
    stride_.bind(base, "stride");
    requires_grad_.bind(base, "requires_grad");
    is_conj_.bind(base, "is_conj");
    is_neg_.bind(base, "is_neg");
    is_inference_.bind(base, "is_inference");

    py::object tensor_type = torch.attr("Tensor");
    if (py::hasattr(tensor_type, "__dlpack_c_exchange_api__")) {
        py::object capsule = tensor_type.attr("__dlpack_c_exchange_api__");
        auto* api = static_cast<ExchangeAPI*>(
            PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
        if (api != nullptr && api->version.major == 1) from_object_ = api->from_object;
        PyErr_Clear();
    }
    // DispatchKeySet.raw_repr came after torch 2.3.
    if (py::hasattr(core, "DispatchKeySet") &&
        py::hasattr(core.attr("DispatchKeySet"), "raw_repr")) {
        dispatch_keys_ = Ref::borrow(core.attr("_dispatch_keys").ptr());
        if (from_object_ != nullptr) find_keys(torch.ptr());
    }
}

// A tensor of up to five dimensions keeps its sizes inside its TensorImpl, so that the pointer
// that DLPack gives for the shape tells where that object is; the Python object holds a pointer
// to its start, at the same offset in every tensor. From there the key set is the first word
// that equals torch's own answer for every sample. Nothing is assumed that is not compared.
void TensorProbe::find_keys(PyObject* torch) {
    constexpr Py_ssize_t kWord = sizeof(void*);
    constexpr ptrdiff_t kMaxShapeOffset = 160, kMaxKeysOffset = 240;
    try {
        py::list samples = sample_tensors(py::reinterpret_borrow<py::module_>(torch));
        std::vector<uint64_t> expected;
        for (py::handle sample : samples) {
            uint64_t keys = 0;
            if (!ask_keys(sample.ptr(), &keys)) throw py::error_already_set();
            expected.push_back(keys);
        }

        const Py_ssize_t base_size =
            reinterpret_cast<PyTypeObject*>(tensor_base_.get())->tp_basicsize;
        Py_ssize_t impl_offset = -1;
        for (Py_ssize_t at = sizeof(PyObject); at + kWord <= base_size; at += kWord) {
            ptrdiff_t distance = 0;
            bool same = true;
            for (int i = 0; i < 3 && same; ++i) {
                DLTensor view;
                if (from_object_(samples[i].ptr(), &view) != 0) throw py::error_already_set();
                char* word = *reinterpret_cast<char**>(
                    reinterpret_cast<char*>(samples[i].ptr()) + at);
                const ptrdiff_t this_distance = reinterpret_cast<char*>(view.shape) - word;
                same = word != nullptr && this_distance > 0 && this_distance < kMaxShapeOffset &&
                       (i == 0 || this_distance == distance);
                distance = this_distance;
            }
            if (same) impl_offset = at;
        }
        if (impl_offset < 0) return;

        for (Py_ssize_t at = 0; at < kMaxKeysOffset; at += kWord) {
            bool same = true;
            for (size_t i = 0; i < expected.size() && same; ++i) {
                char* impl = *reinterpret_cast<char**>(
                    reinterpret_cast<char*>(samples[i].ptr()) + impl_offset);
                same = *reinterpret_cast<uint64_t*>(impl + at) == expected[i];
            }
            if (same) {
                impl_offset_ = impl_offset;
                keys_offset_ = at;
                plain_keys_ = expected[0];
                return;
            }
        }
    } catch (py::error_already_set&) {
        // This torch lacks one of the samples: the facts are then read through attributes.
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

    if (dispatch_keys_) {
        fact.keyed = true;
        if (!read_keys(example, &fact.keys)) throw py::error_already_set();
        fact.keys_text = keys_text(example);
    }
    // Only what is alike in dispatch keys may take the exchange path: an export that fails costs
    // a C++ exception, about a millisecond.
    DLTensor view;
    if (has_keys() && fact.strided) {
        if (from_object_(example, &view) == 0) {
            fact.exchange = true;
            fact.dl_dtype = view.dtype;
            fact.dl_device = view.device;
            // Integers of 1 to 7 bits are exported as 8-bit ones.
            fact.exact_dtype = view.dtype.bits == 8;
        } else {
            PyErr_Clear();
        }
    }
    return fact;
}

bool TensorProbe::size(PyObject* tensor, Py_ssize_t dim, int64_t* size) const {
    if (!has_keys() || !is_tensor(tensor)) return false;
    // Python keys (subclasses and modes that intercept everything) and layouts that DLPack
    // refuses go through attributes.
    if (keys(tensor) != plain_keys_) return false;
    DLTensor view;
    if (from_object_(tensor, &view) != 0) {
        PyErr_Clear();
        return false;
    }
    if (dim >= view.ndim) return false;
    *size = view.shape[dim];
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
