// TensorLayout: where a torch tensor's properties lie in memory, without torch's headers.
//
// A tensor's Python object holds a pointer to its c10::TensorImpl. Where that and the fields of
// the TensorImpl lie is found by comparing the memory of a set of unlike tensors with what torch
// itself answers about them; a place counts only if it is right for all of them and no other
// place is. Names of fields are those of c10/core/TensorImpl.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "compat.h"

namespace framejit {

// A tensor to learn from, borrowed, and what torch says of it.
struct TensorSample {
    PyObject* tensor;
    uintptr_t address;  // of the TensorImpl, `tensor._cdata`
    uint64_t keys;
    PyObject* dtype;  // torch's dtypes are singletons
    bool strided;     // has strides
    std::vector<int64_t> sizes, strides;
    // Whether there must be an autograd_meta_: a tensor that requires a gradient has one, one just
    // made that does not has none, a view can have one either way.
    std::optional<bool> has_autograd_meta;
};

class TensorLayout {
public:
    // False if there is a field whose place the samples do not tell; nothing is then known.
    bool find(const std::vector<TensorSample>& samples);
    bool found() const { return found_; }

    // A view of one tensor. Sizes and strides are only there for tensors whose key set is that of
    // a strided sample, and which are not on the meta device, where they can be symbolic.
    class Fields {
    public:
        // As key_set_.
        uint64_t keys() const { return layout_.read<uint64_t>(impl_, layout_.keys_); }
        // As data_type_: a number for the dtype.
        uint16_t dtype() const { return layout_.read<uint16_t>(impl_, layout_.dtype_); }
        // As sizes_and_strides_.
        int64_t dimensions() const { return layout_.read<int64_t>(impl_, layout_.extents_); }
        const int64_t* sizes() const { return extents(0); }
        const int64_t* strides() const {
            const int64_t count = dimensions();
            return extents(count > kInlineDimensions ? count : kInlineDimensions);
        }
        // Whether there is an autograd_meta_; what has none requires no gradient.
        bool has_autograd_meta() const {
            return layout_.read<void*>(impl_, layout_.autograd_meta_) != nullptr;
        }

    private:
        friend class TensorLayout;
        Fields(const TensorLayout& layout, const char* impl) : layout_(layout), impl_(impl) {}

        const int64_t* extents(int64_t index) const {
            const char* at = impl_ + layout_.extents_ + sizeof(int64_t);
            if (dimensions() > kInlineDimensions) at = read_at<const char*>(at);
            return reinterpret_cast<const int64_t*>(at) + index;
        }

        const TensorLayout& layout_;
        const char* impl_;
    };

    Fields of(PyObject* tensor) const {
        return Fields(*this, read<const char*>(reinterpret_cast<const char*>(tensor), impl_));
    }

private:
    // As C10_SIZES_AND_STRIDES_MAX_INLINE_SIZE: sizes and strides of more dimensions are elsewhere.
    static constexpr int64_t kInlineDimensions = 5;

    template <class T>
    static T read_at(const char* at) {
        T value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    template <class T>
    static T read(const char* base, ptrdiff_t offset) {
        return read_at<T>(base + offset);
    }

    ptrdiff_t impl_ = 0;  // within the Python object; the others within the TensorImpl
    ptrdiff_t keys_ = 0, dtype_ = 0, extents_ = 0, autograd_meta_ = 0;
    bool found_ = false;
};

}  // namespace framejit
