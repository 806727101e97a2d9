"""What is observed before and after a call: all that the program can reach, section by section."""

from __future__ import annotations

import ctypes
import functools
import random
import re
import types
import zlib
from collections.abc import Callable
from typing import Any

import torch
import torch.utils._device

from framefuzz.case import Program
from framefuzz.observe.containers import COMPILER_GLOBALS
from framefuzz.observe.ownership import is_library_module
from framefuzz.observe.snapshot import Snapshot
from framefuzz.trace import Node, Observation

# Names of a case that are no state of its program.
_PROTOCOL = frozenset({"make", "calls", "observe", "STEADY", "CONFIG", "KW"})


def observe_before(program: Program, arguments: tuple[Any, ...]) -> Observation:
    """All that the program can reach before a call, its arguments included."""
    snap = Snapshot(program.module.__dict__)
    return Observation(
        {
            "cells": snap.node(program.fn),
            "args": snap.node(arguments),
            "globals": _globals(snap, program),
            "modes": _modes(),
        }
    )


def observe_after(
    program: Program,
    arguments: tuple[Any, ...],
    returned: tuple[Any, ...],
    raised: BaseException | None,
    stdout: str,
) -> Observation:
    """What a call did.

    ``returned`` holds the value returned, or nothing if the call raised.  The modes are read
    first: describing values must not be able to change them.
    """
    modes = _modes()
    snap = Snapshot(program.module.__dict__)
    sections: dict[str, Node] = {}
    if raised is not None:
        sections["exc"] = snap.node(raised)
    for value in returned:
        sections["out"] = snap.node(value)
    sections["stdout"] = Node("str", repr(stdout))
    sections["cells"] = snap.node(program.fn)
    sections["args"] = snap.node(arguments)
    sections["globals"] = _globals(snap, program)
    if program.observe is not None:
        sections["observed"] = _observed(snap, program)
    sections["modes"] = modes
    return Observation(sections)


def _observed(snap: Snapshot, program: Program) -> Node:
    """What the program's own observe(fn) says, or what it raises."""
    assert program.observe is not None
    try:
        return snap.node(program.observe(program.fn))
    except Exception as error:
        return Node("raised", parts=(("", snap.node(error)),))


def _globals(snap: Snapshot, program: Program) -> Node:
    names = program.module.__dict__
    parts: list[tuple[str, Node]] = []
    made: list[tuple[str, Node]] = []
    # Sorted: the order in which names were added is no state of the program.
    for name in sorted(name for name in names if type(name) is str):
        if name in _PROTOCOL or (name.startswith("__") and name.endswith("__")):
            continue
        value = names[name]
        if name not in program.own_names and _is_compilers(name, names):
            made.append((f".{name}", Node("made")))
        elif not is_library_module(value):
            parts.append((f".{name}", snap.node(value)))
    return Node("globals", parts=(*parts, *made))


def _is_compilers(name: str, names: dict[str, Any]) -> bool:
    """Whether a name that the module has gained can be one that a compiler put there.

    Dynamo keeps there, under a function's own name or one made of it, the result of one that is
    marked by assume_constant_result (torch/_dynamo/variables/functions.py,
    invoke_and_store_as_constant).
    """
    if name.startswith(COMPILER_GLOBALS):
        return True
    stem = re.sub(r"_\d+$", "", name)
    holders = [names, *(vars(value) for value in names.values() if type(value) is type)]
    functions = (holder.get(stem) for holder in holders)
    return any(
        type(function) is types.FunctionType and "_dynamo_marked_constant" in vars(function)
        for function in functions
    )


def _modes() -> Node:
    # A mode that the program left on would see the tensor of the generator's state.
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        state = torch.default_generator.get_state()
        raw = ctypes.string_at(state.data_ptr(), state.numel())
    return _modes_node(
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled() or is_autocast_cpu_enabled(),
        str(autocast_dtype()),
        torch.are_deterministic_algorithms_enabled(),
        str(torch.get_default_dtype()),
        str(torch.utils._device.CURRENT_DEVICE),
        torch._C._len_torch_function_stack(),
        torch._C._len_torch_dispatch_stack(),
        has_saved_hooks(),
        torch.get_num_threads(),
        precision(),
        # The states are long; whether they are the same is all that is asked.
        zlib.crc32(raw),
        hash(random.getstate()),
    )


@functools.lru_cache(maxsize=64)
def _modes_node(*facts: Any) -> Node:
    return Node(
        "modes",
        parts=tuple(
            (f".{name}", Node(type(fact).__name__, str(fact)))
            for name, fact in zip(_MODES, facts, strict=True)
        ),
    )


_MODES = (
    "grad",
    "inference",
    "autocast",
    "autocast_dtype",
    "deterministic",
    "dtype",
    "device",
    "function_modes",
    "dispatch_modes",
    "saved_hooks",
    "threads",
    "precision",
    "torch_rng",
    "random",
)


def _autocast_asker() -> Callable[[], bool]:
    try:
        torch.is_autocast_enabled("cpu")
    except TypeError:  # before 2.4
        return lambda: bool(torch.is_autocast_cpu_enabled())
    return functools.partial(torch.is_autocast_enabled, "cpu")


is_autocast_cpu_enabled = _autocast_asker()


def autocast_dtype() -> torch.dtype:
    """What autocast of the CPU computes in."""
    try:
        return torch.get_autocast_dtype("cpu")
    except AttributeError:  # before 2.4
        return torch.get_autocast_cpu_dtype()


def has_saved_hooks() -> bool:
    """Whether hooks stand ready for what autograd saves; before 2.5 torch does not say."""
    asked = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return asked is not None and asked(True) is not None


def precision() -> str:
    """How exactly float32 matrices are multiplied."""
    try:
        return str(torch.get_float32_matmul_precision())
    except RuntimeError:  # the program has set it in two ways
        return "mixed"
