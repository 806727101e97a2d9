// The Python face: each file binds one group of names into the module.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace framejit {

void bind_sources(pybind11::module_& module);
void bind_guards(pybind11::module_& module);
void bind_frames(pybind11::module_& module);
void bind_cache(pybind11::module_& module);
void bind_recorder(pybind11::module_& module);

}  // namespace framejit
