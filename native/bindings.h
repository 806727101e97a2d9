// The Python face: each file binds one group of names into the module.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>

#include "frame_handle.h"
#include "guard_program.h"

namespace framejit {

// How Python asks a program about a frame that has not yet begun.
bool check_on(const GuardProgram& program, const FrameAccess& access, Design design);
std::unique_ptr<Failure> explain_on(const GuardProgram& program, const FrameAccess& access,
                                    Design design);

void bind_sources(pybind11::module_& module);
void bind_guards(pybind11::module_& module);
void bind_frames(pybind11::module_& module);
void bind_cache(pybind11::module_& module);
void bind_recorder(pybind11::module_& module);

}  // namespace framejit
