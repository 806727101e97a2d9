// TensorProbe: reads a torch tensor's properties without linking torch.
//
// Sizes, strides, dtype and device come from the DLPack exchange API, a struct of C functions
// that torch 2.13 and later publish as torch.Tensor.__dlpack_c_exchange_api__. The rest comes
// from the C getters behind torch's own attributes. What neither can tell (conj, neg, zero,
// inference and functionalized tensors, layouts) is in the tensor's dispatch key set, one word
// of it; where that word lies is found by comparing with torch._C._dispatch_keys, over a set of
// unlike tensors, when the first tensor guard is built. Where any of this is missing, the same
// facts are read through attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compat.h"
#include "ref.h"

namespace framejit {

// The C struct of DLPack 1.x (dlpack.h), of which a check reads everything but `data`.
struct DLTensor {
    void* data;
    struct {
        int32_t type;
        int32_t id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code;
        uint8_t bits;
        uint16_t lanes;
    } dtype;
    int64_t* shape;
    int64_t* strides;
    uint64_t byte_offset;
};

enum class TensorPart : uint8_t {
    Type,
    DispatchKeys,
    DType,
    Device,
    Layout,
    Dimensions,
    Size,
    Stride,
    RequiresGrad,
    Conjugate,
    Negative,
    Inference,
};

constexpr int64_t kAnySize = -1;  // stands for a size or stride that may vary

// What a tensor guard demands, taken from an example.
struct TensorFact {
    Ref type;
    bool exchange = false;  // the DLPack path applies to tensors like the example
    bool keyed = false;     // `keys` is known
    bool exact_dtype = false;  // DLPack does not tell this dtype from another: look at `dtype`
    uint64_t keys = 0;
    std::string keys_text;
    decltype(DLTensor::dtype) dl_dtype{};
    decltype(DLTensor::device) dl_device{};
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;  // empty for a layout without strides
    bool strided = true;
    bool requires_grad = false;
    bool conjugate = false, negative = false, inference = false;
    Ref dtype, device, layout;

    std::string text() const;
};

// Which demand was not met; the objects are filled for an explaining check only.
struct TensorMismatch {
    TensorPart part = TensorPart::Type;
    int dim = -1;
    std::string expected, actual;
};

class TensorProbe {
public:
    // The probe of the torch that is imported; null with an ImportError when there is none.
    static const TensorProbe* get();
    // The same without importing anything or raising: null until a tensor guard was built.
    static const TensorProbe* ready();

    bool is_tensor(PyObject* object) const;

    // Facts of `example`, with sizes and strides replaced where given (None: may vary). Throws
    // pybind11::error_already_set if the example cannot be guarded.
    TensorFact fact(PyObject* example, PyObject* sizes, PyObject* strides) const;

    // 1 if `value` is as demanded, 0 if not, -1 with a Python exception. `mismatch` may be null.
    template <bool kExplain>
    int check(const TensorFact& fact, PyObject* value, TensorMismatch* mismatch) const;

    // Size of a dimension through the exchange API. False, without an exception, if that does
    // not apply to this object or it has no such dimension.
    bool size(PyObject* tensor, Py_ssize_t dim, int64_t* size) const;

    bool has_exchange() const { return from_object_ != nullptr; }
    bool has_keys() const { return keys_offset_ >= 0; }

private:
    using FromObject = int (*)(void* object, DLTensor* out);

    // An attribute or method of torch._C.TensorBase, called as C.
    struct Getter {
        Ref descriptor;
        getter get = nullptr;
        void* closure = nullptr;
        PyCFunction call = nullptr;

        void bind(PyObject* tensor_base, const char* name);
        Ref read(PyObject* tensor) const;
    };

    static TensorProbe* instance_;

    TensorProbe() = default;
    void start();
    void find_keys(PyObject* torch);
    uint64_t keys(PyObject* tensor) const {
        char* impl = *reinterpret_cast<char**>(reinterpret_cast<char*>(tensor) + impl_offset_);
        return *reinterpret_cast<uint64_t*>(impl + keys_offset_);
    }
    // The same by torch's own function, and by whichever way there is; false with an exception.
    bool ask_keys(PyObject* tensor, uint64_t* keys) const;
    bool read_keys(PyObject* tensor, uint64_t* found) const {
        if (!has_keys()) return ask_keys(tensor, found);
        *found = keys(tensor);
        return true;
    }
    std::string keys_text(PyObject* tensor) const;

    template <bool kExplain>
    int check_exchange(const TensorFact&, PyObject* value, TensorMismatch*) const;
    template <bool kExplain>
    int check_attributes(const TensorFact&, PyObject* value, TensorMismatch*) const;

    Ref tensor_base_;
    Ref dispatch_keys_;  // torch._C._dispatch_keys
    FromObject from_object_ = nullptr;
    Py_ssize_t impl_offset_ = -1, keys_offset_ = -1;
    uint64_t plain_keys_ = 0;  // of an ordinary strided CPU tensor
    Getter dtype_, device_, layout_, shape_, stride_, requires_grad_, is_conj_, is_neg_,
        is_inference_;
};

}  // namespace framejit
