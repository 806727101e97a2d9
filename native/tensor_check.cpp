// The tensor check: one traversal for the fast answer and for the explanation.

#include "errors.h"
#include "tensor_probe.h"

namespace framejit {

namespace {

const char* part_text(TensorPart part) {
    switch (part) {
        case TensorPart::Type: return "type";
        case TensorPart::DispatchKeys: return "dispatch keys";
        case TensorPart::DType: return "dtype";
        case TensorPart::Device: return "device";
        case TensorPart::Layout: return "layout";
        case TensorPart::Dimensions: return "number of dimensions";
        case TensorPart::Size: return "shape";
        case TensorPart::Stride: return "stride";
        case TensorPart::RequiresGrad: return "requires_grad";
        case TensorPart::Conjugate: return "is_conj()";
        case TensorPart::Negative: return "is_neg()";
        case TensorPart::Inference: return "is_inference()";
    }
    return "";
}

// Answers "no"; `values()` yields both texts and is called for an explanation only.
template <bool kExplain, class Values>
int differs(TensorMismatch* out, TensorPart part, int dim, Values values) {
    if constexpr (kExplain) {
        std::pair<std::string, std::string> texts = values();
        std::string what = part_text(part);
        if (dim >= 0) what += "[" + std::to_string(dim) + "]";
        out->part = part;
        out->dim = dim;
        out->expected = what + " " + texts.first;
        out->actual = what + " " + texts.second;
    }
    return 0;
}

std::pair<std::string, std::string> numbers(int64_t expected, int64_t actual) {
    return {std::to_string(expected), std::to_string(actual)};
}

std::pair<std::string, std::string> reprs(PyObject* expected, PyObject* actual) {
    return {short_repr(expected), short_repr(actual)};
}

template <bool kExplain>
int check_extents(TensorPart part, const std::vector<int64_t>& expected, const int64_t* actual,
                  TensorMismatch* out) {
    for (size_t i = 0; i < expected.size(); ++i) {
        if (expected[i] != actual[i] && expected[i] != kAnySize) {
            return differs<kExplain>(out, part, static_cast<int>(i),
                                     [&] { return numbers(expected[i], actual[i]); });
        }
    }
    return 1;
}

// False with an exception if an entry is not an int that fits.
bool read_ints(PyObject* sequence, std::vector<int64_t>* ints) {
    Ref items = Ref::steal(PySequence_Tuple(sequence));
    if (!items) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        ints->push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(items.get(), i)));
        if (PyErr_Occurred()) return false;
    }
    return true;
}

}  // namespace

template <bool kExplain>
int TensorProbe::check(const TensorFact& fact, PyObject* value, TensorMismatch* out) const {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    if (type != fact.type.get()) {
        return differs<kExplain>(out, TensorPart::Type, -1,
                                 [&] { return reprs(fact.type.get(), type); });
    }
    if (fact.keyed) {
        uint64_t found = 0;
        if (!read_keys(value, &found)) return -1;
        if (found != fact.keys) {
            return differs<kExplain>(out, TensorPart::DispatchKeys, -1, [&] {
                return std::make_pair(fact.keys_text, keys_text(value));
            });
        }
    }
    return fact.in_memory ? check_memory<kExplain>(fact, value, out)
                          : check_attributes<kExplain>(fact, value, out);
}

// The keys are those of the fact, which tell the device too.
template <bool kExplain>
int TensorProbe::check_memory(const TensorFact& fact, PyObject* value, TensorMismatch* out) const {
    const TensorLayout::Fields fields = memory_.of(value);
    if (fields.dtype() != fact.dtype_number) {
        return differs<kExplain>(out, TensorPart::DType, -1, [&] {
            return reprs(fact.dtype.get(), dtype_.read(value).get());
        });
    }
    const auto dimensions = static_cast<int64_t>(fact.sizes.size());
    if (fields.dimensions() != dimensions) {
        return differs<kExplain>(out, TensorPart::Dimensions, -1,
                                 [&] { return numbers(dimensions, fields.dimensions()); });
    }
    if (!check_extents<kExplain>(TensorPart::Size, fact.sizes, fields.sizes(), out)) return 0;
    if (!check_extents<kExplain>(TensorPart::Stride, fact.strides, fields.strides(), out)) return 0;
    if (!fact.requires_grad && !fields.has_autograd_meta()) return 1;
    Ref requires_grad = requires_grad_.read(value);
    if (!requires_grad) return -1;
    if ((requires_grad.get() == Py_True) != fact.requires_grad) {
        return differs<kExplain>(out, TensorPart::RequiresGrad, -1, [&] {
            return reprs(fact.requires_grad ? Py_True : Py_False, requires_grad.get());
        });
    }
    return 1;
}

template <bool kExplain>
int TensorProbe::check_attributes(const TensorFact& fact, PyObject* value,
                                  TensorMismatch* out) const {
    struct Same {
        TensorPart part;
        const Getter& getter;
        PyObject* expected;
    };
    auto truth = [](bool value) { return value ? Py_True : Py_False; };
    const Same demands[] = {
        {TensorPart::DType, dtype_, fact.dtype.get()},
        {TensorPart::Layout, layout_, fact.layout.get()},
        {TensorPart::RequiresGrad, requires_grad_, truth(fact.requires_grad)},
        {TensorPart::Conjugate, is_conj_, truth(fact.conjugate)},
        {TensorPart::Negative, is_neg_, truth(fact.negative)},
        {TensorPart::Inference, is_inference_, truth(fact.inference)},
    };
    for (const Same& demand : demands) {
        Ref actual = demand.getter.read(value);
        if (!actual) return -1;
        if (actual.get() != demand.expected) {
            return differs<kExplain>(out, demand.part, -1,
                                     [&] { return reprs(demand.expected, actual.get()); });
        }
    }
    Ref device = device_.read(value);
    if (!device) return -1;
    const int same_device = PyObject_RichCompareBool(device.get(), fact.device.get(), Py_EQ);
    if (same_device < 0) return -1;
    if (!same_device) {
        return differs<kExplain>(out, TensorPart::Device, -1,
                                 [&] { return reprs(fact.device.get(), device.get()); });
    }

    std::vector<int64_t> sizes, strides;
    Ref shape = shape_.read(value);
    if (!shape || !read_ints(shape.get(), &sizes)) return -1;
    if (sizes.size() != fact.sizes.size()) {
        return differs<kExplain>(out, TensorPart::Dimensions, -1, [&] {
            return numbers(static_cast<int64_t>(fact.sizes.size()),
                           static_cast<int64_t>(sizes.size()));
        });
    }
    if (!check_extents<kExplain>(TensorPart::Size, fact.sizes, sizes.data(), out)) return 0;
    if (!fact.strided) return 1;
    Ref stride = stride_.read(value);
    if (!stride || !read_ints(stride.get(), &strides)) return -1;
    return check_extents<kExplain>(TensorPart::Stride, fact.strides, strides.data(), out);
}

template int TensorProbe::check<false>(const TensorFact&, PyObject*, TensorMismatch*) const;
template int TensorProbe::check<true>(const TensorFact&, PyObject*, TensorMismatch*) const;

}  // namespace framejit
