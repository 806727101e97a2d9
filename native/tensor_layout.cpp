#include "tensor_layout.h"

#include <algorithm>
#include <map>
#include <set>

namespace framejit {

namespace {

// The one place from `start` on, in steps, that is right, or -1 if there is none or several.
template <class Right>
ptrdiff_t only_place(ptrdiff_t start, ptrdiff_t end, ptrdiff_t step, Right right) {
    ptrdiff_t found = -1;
    for (ptrdiff_t at = start; at + step <= end; at += step) {
        if (!right(at)) continue;
        if (found >= 0) return -1;
        found = at;
    }
    return found;
}

}  // namespace

bool TensorLayout::find(const std::vector<TensorSample>& samples) {
    constexpr ptrdiff_t kWord = sizeof(void*), kHalf = sizeof(uint16_t);
    // A TensorImpl ends with its key set: nothing is read behind that.
    constexpr ptrdiff_t kMaxKeysOffset = 240;
    auto all = [&](auto agrees) { return std::all_of(samples.begin(), samples.end(), agrees); };
    auto impl = [](const TensorSample& sample) {
        return reinterpret_cast<const char*>(sample.address);
    };
    if (samples.empty()) return false;

    const ptrdiff_t object_size = Py_TYPE(samples[0].tensor)->tp_basicsize;
    impl_ = only_place(sizeof(PyObject), object_size, kWord, [&](ptrdiff_t at) {
        return all([&](const TensorSample& sample) {
            return read<uintptr_t>(reinterpret_cast<const char*>(sample.tensor), at) ==
                   sample.address;
        });
    });
    if (impl_ < 0) return false;

    keys_ = 0;
    while (!all([&](const TensorSample& sample) {
        return read<uint64_t>(impl(sample), keys_) == sample.keys;
    })) {
        keys_ += kWord;
        if (keys_ > kMaxKeysOffset) return false;
    }

    // A number for each dtype, the same wherever the dtype is, and no other's.
    dtype_ = only_place(0, keys_, kHalf, [&](ptrdiff_t at) {
        std::map<PyObject*, uint16_t> numbers;
        std::set<uint16_t> different;
        for (const TensorSample& sample : samples) {
            const uint16_t number = read<uint16_t>(impl(sample), at);
            auto [known, added] = numbers.emplace(sample.dtype, number);
            if (known->second != number) return false;
            if (added && !different.insert(number).second) return false;
        }
        return true;
    });

    // The number of dimensions, then sizes and strides, or a pointer to them: only where the
    // samples that hold them right there agree is it followed.
    extents_ = only_place(0, keys_ - 2 * kInlineDimensions * kWord, kWord, [&](ptrdiff_t at) {
        auto agrees = [&](const TensorSample& sample, bool inlined) {
            const auto count = static_cast<int64_t>(sample.sizes.size());
            if (!sample.strided || (count <= kInlineDimensions) != inlined) return true;
            if (read<int64_t>(impl(sample), at) != count) return false;
            const char* sizes = impl(sample) + at + kWord;
            if (!inlined) sizes = read_at<const char*>(sizes);
            const char* strides = sizes + std::max(count, inlined ? kInlineDimensions : 0) * kWord;
            return std::memcmp(sizes, sample.sizes.data(), count * kWord) == 0 &&
                   std::memcmp(strides, sample.strides.data(), count * kWord) == 0;
        };
        return all([&](const TensorSample& sample) { return agrees(sample, true); }) &&
               all([&](const TensorSample& sample) { return agrees(sample, false); });
    });

    autograd_meta_ = only_place(0, keys_, kWord, [&](ptrdiff_t at) {
        return all([&](const TensorSample& sample) {
            const bool is_there = read<void*>(impl(sample), at) != nullptr;
            return sample.has_autograd_meta.value_or(is_there) == is_there;
        });
    });

    found_ = dtype_ >= 0 && extents_ >= 0 && autograd_meta_ >= 0;
    return found_;
}

}  // namespace framejit
