"""Makes compiling faster in bulk runs by leaving out what only feeds Dynamo's own telemetry.

Each speed-up changes neither the bytecode made nor what a guard decides (the test compares both
with and without), and is left out where this torch does not have what it replaces: torch 2.3
has none of these costs yet.  Never applied where a finding is confirmed.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from torch._dynamo import config, exc, guards, utils

# What compile metrics serialize, once a compile, as JSON: whole configurations.
_CONFIGURATIONS = (
    "_compiler_config_for_logging",
    "_functorch_config_for_logging",
    "_get_dynamo_config_for_logging",
    "_scrubbed_inductor_config_for_logging",
)


@dataclass(frozen=True)
class Speedup:
    """One thing left out: its name, and what applies it and says whether it was there."""

    name: str
    apply: Callable[[], bool]


def _skip_guard_latency() -> bool:
    """``profile_guard_manager`` flushes the CPU's caches to time a guard: 20 ms a compile."""
    if not hasattr(guards, "profile_guard_manager"):
        return False
    guards.profile_guard_manager = lambda root, f_locals, n_iters: 0.0
    return True


def _skip_configurations() -> bool:
    """The JSON of four configurations goes into the metrics of each compile and nowhere else."""
    there = [name for name in _CONFIGURATIONS if hasattr(utils, name)]
    for name in there:
        setattr(utils, name, lambda: None)
    return bool(there)


def _skip_side_effect_stacks() -> bool:
    """A stack is captured for each side effect traced, for a log that nobody reads here."""
    if getattr(config, "side_effect_replay_policy", None) != "info":
        return False
    config.side_effect_replay_policy = "silent"
    return True


def _skip_stack_columns() -> bool:
    """At each graph break every frame's whole table of columns is decoded: 4 ms, for carets."""
    if not hasattr(exc, "_extract_stack_with_positions"):
        return False
    exc._extract_stack_with_positions = _stack_without_columns
    return True


def _stack_without_columns() -> traceback.StackSummary:
    frames = traceback.walk_stack(sys._getframe(1))
    stack = traceback.StackSummary.extract(frames, lookup_lines=False)
    stack.reverse()
    return stack


SPEEDUPS = (
    Speedup("guard latency", _skip_guard_latency),
    Speedup("configurations", _skip_configurations),
    Speedup("side effect stacks", _skip_side_effect_stacks),
    Speedup("stack columns", _skip_stack_columns),
)


def apply() -> list[str]:
    """Apply, for the rest of this process, every speed-up that this torch has a use for.

    Returns their names.
    """
    return [speedup.name for speedup in SPEEDUPS if speedup.apply()]
