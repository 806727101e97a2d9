// The Python face of the native core: frames, guards and the evaluation hook register here.

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_native, m) {
    m.doc() = "framejit's native core.";
    // The frame layout is a compile-time fact, so a caller must be able to see which one this is.
    m.attr("PY_VERSION_HEX") = PY_VERSION_HEX;
}
