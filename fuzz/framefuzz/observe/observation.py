"""What is observed before and after a call: all that the program can reach, section by section."""

from __future__ import annotations

import ctypes
import hashlib
import random
import types
from typing import Any

import torch

from framefuzz.case import Program
from framefuzz.observe.snapshot import Snapshot
from framefuzz.trace import Node, Observation

# Tolerance "compiler-globals": compilers add resume functions, compiled graphs and the modules
# that guards refer to; all begin like this.  No program in the case format uses such names.
COMPILER_GLOBALS = ("__", "torch_dynamo_resume")


def observe_before(program: Program, arguments: tuple[Any, ...]) -> Observation:
    """All that the program can reach before a call, its arguments included."""
    snap = Snapshot()
    return Observation(
        {
            "cells": snap.node(program.fn),
            "args": snap.node(arguments),
            "globals": _globals(snap, program.module),
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
    snap = Snapshot()
    sections: dict[str, Node] = {}
    if raised is not None:
        sections["exc"] = snap.node(raised)
    for value in returned:
        sections["out"] = snap.node(value)
    sections["stdout"] = Node("str", repr(stdout))
    sections["cells"] = snap.node(program.fn)
    sections["args"] = snap.node(arguments)
    sections["globals"] = _globals(snap, program.module)
    if program.observe is not None:
        sections["observed"] = snap.node(program.observe(program.fn))
    sections["modes"] = modes
    return Observation(sections)


def _globals(snap: Snapshot, module: types.ModuleType) -> Node:
    names = module.__dict__
    return Node(
        "globals",
        parts=tuple(
            (f".{name}", snap.node(names[name]))
            # Sorted: the order in which names were added is no state of the program.
            for name in sorted(names)
            if not name.startswith(COMPILER_GLOBALS) and type(names[name]) is not types.ModuleType
        ),
    )


def _modes() -> Node:
    facts = {
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }
    parts = [(f".{name}", Node("bool", repr(value))) for name, value in facts.items()]
    parts.append((".dtype", Node("dtype", str(torch.get_default_dtype()))))
    # The states are long; whether they are the same is all that is asked.
    state = torch.get_rng_state()
    raw = ctypes.string_at(state.data_ptr(), state.numel())
    parts.append((".torch_rng", Node("state", hashlib.blake2b(raw, digest_size=6).hexdigest())))
    parts.append((".random", Node("state", f"{hash(random.getstate()):x}")))
    return Node("modes", parts=tuple(parts))
