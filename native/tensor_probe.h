// TensorProbe: reads a torch tensor's properties without linking torch.
//
// Ordinary strided tensors on the CPU are read in memory (TensorLayout): what sizes, strides and
// dtype do not tell (conj, neg, zero, inference and functionalized tensors, layouts, the device) is
// in the tensor's dispatch key set, one word of it. All others, and all tensors of a torch whose
// layout was not recognised, are read through the C getters behind torch's own attributes: those
// on the meta device can have symbolic sizes, which lie elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compat.h"
#include "ref.h"
#include "tensor_layout.h"

namespace framejit {

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
    bool keyed = false;      // `keys` is known
    bool in_memory = false;  // tensors of these keys are read in memory
    uint64_t keys = 0;
    std::string keys_text;
    uint16_t dtype_number = 0;  // as in memory
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

    // Size of a dimension as in memory. False, without an exception, if this object is not read
    // there or has no such dimension.
    bool size(PyObject* tensor, Py_ssize_t dim, int64_t* size) const;

    bool has_layout() const { return memory_.found(); }

private:
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
    // Where it cannot be learnt now, a mode being in, it is tried again with the next guard.
    void learn_layout();
    bool agrees_with_memory(PyObject* example, const TensorFact& fact) const;
    // By torch's own function, and by whichever way there is; false with an exception.
    bool ask_keys(PyObject* tensor, uint64_t* keys) const;
    bool read_keys(PyObject* tensor, uint64_t* keys) const {
        if (!has_layout()) return ask_keys(tensor, keys);
        *keys = memory_.of(tensor).keys();
        return true;
    }
    // Whether a tensor of these keys is like one that the layout was learnt from.
    bool reads_in_memory(uint64_t keys) const {
        return std::find(known_keys_.begin(), known_keys_.end(), keys) != known_keys_.end();
    }
    std::string keys_text(PyObject* tensor) const;

    template <bool kExplain>
    int check_memory(const TensorFact&, PyObject* value, TensorMismatch*) const;
    template <bool kExplain>
    int check_attributes(const TensorFact&, PyObject* value, TensorMismatch*) const;

    Ref tensor_base_, tensor_;  // torch._C.TensorBase, torch.Tensor
    Ref dispatch_keys_;  // torch._C._dispatch_keys
    TensorLayout memory_;
    int tries_left_ = 3;  // to learn it
    std::vector<uint64_t> known_keys_;  // different ones, of the strided samples on the CPU
    Getter dtype_, device_, layout_, shape_, stride_, requires_grad_, is_conj_, is_neg_,
        is_inference_;
};

}  // namespace framejit
