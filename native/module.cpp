// framejit._native: frames, guards and the evaluation hook.

#include "bindings.h"
#include "code_cache.h"

namespace py = pybind11;

PYBIND11_MODULE(_native, module) {
    module.doc() =
        "framejit's native core: an evaluation hook (PEP 523) that checks guards on a frame's "
        "fast locals where they lie and runs replacement code in the same frame.";
    // The frame layout is a compile-time fact, so a caller must be able to see which one this is.
    module.attr("PY_VERSION_HEX") = PY_VERSION_HEX;
    if (!framejit::CodeState::start()) throw py::error_already_set();
    framejit::bind_sources(module);
    framejit::bind_guards(module);
    framejit::bind_frames(module);
    framejit::bind_cache(module);
    framejit::bind_recorder(module);
}
