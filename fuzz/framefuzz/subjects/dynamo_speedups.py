"""Makes compiling faster in bulk runs: leaves out what only feeds Dynamo's own logs, and shortens
how it reads settings and file names, hundreds of times a compile.

Each speed-up changes neither the bytecode made nor what a guard decides (the test compares both
with and without), and is left out where this torch does not have what it replaces: torch 2.3
has none of these costs yet.  Never applied where a finding is confirmed.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from torch._dynamo import config, convert_frame, exc, guards, trace_rules, utils
from torch._subclasses import fake_tensor
from torch.utils import _config_module as config_module
from torch.utils import _traceback as torch_traceback

# What compile metrics serialize, once a compile, as JSON: whole configurations.
_CONFIGURATIONS = (
    "_compiler_config_for_logging",
    "_functorch_config_for_logging",
    "_get_dynamo_config_for_logging",
    "_scrubbed_inductor_config_for_logging",
)


@dataclass(frozen=True)
class Speedup:
    """One thing left out or shortened: its name; what applies it and says if it was there."""

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


def _skip_outer_stacks() -> bool:
    """At each graph break the frames outside the program are described, columns and all: 4 ms."""
    if not hasattr(exc, "_extract_stack_with_positions"):
        return False
    exc._extract_stack_with_positions = traceback.StackSummary
    return True


class _NoStacks:
    """The module ``traceback`` for a module that extracts stacks, without doing so."""

    def __getattr__(self, name: str) -> Any:
        return getattr(traceback, name)

    def extract_stack(self) -> traceback.StackSummary:
        return traceback.StackSummary()


def _skip_fake_mode_stack() -> bool:
    """Each fake mode keeps where it was made, for the message of an error about mixing two."""
    if not hasattr(fake_tensor, "traceback"):
        return False
    fake_tensor.traceback = _NoStacks()
    return True


def _skip_event_log() -> bool:
    """Each phase of a compile logs two events for a trace viewer."""
    logger: Any = getattr(utils, "ChromiumEventLogger", None)
    if not hasattr(logger, "_log_timed_event"):
        return False
    logger._log_timed_event = lambda *event, **more: {}
    return True


def _skip_metrics() -> bool:
    """At its end a compile's metrics become a record of a hundred fields, for a log."""
    if not hasattr(utils, "get_metrics_context"):
        return False
    metrics = utils.get_metrics_context()
    if not hasattr(metrics, "_on_exit"):
        return False
    metrics._on_exit = lambda *metrics: None
    return True


class _NoCapture:
    """A captured traceback, and the class that captures it, for what is only logged."""

    @classmethod
    def extract(cls, *, skip: int = 0) -> _NoCapture:
        return cls()

    def summary(self) -> traceback.StackSummary:
        return traceback.StackSummary()

    def format(self) -> list[str]:
        return []


def _skip_start_stacks() -> bool:
    """A compile begins with formatting twice where it was called from, at the debug level too."""
    if not hasattr(convert_frame, "CapturedTraceback"):
        return False
    convert_frame.CapturedTraceback = _NoCapture
    return True


def _skip_collections() -> bool:
    """After each compile the young garbage is collected, 1 ms; here it dies with its process."""
    if not hasattr(config, "run_gc_after_compile"):
        return False
    config.run_gc_after_compile = False
    return True


def _remember_paths() -> bool:
    """The same few file names are made absolute or short hundreds of times a compile."""
    there = [(module, name) for module, name in _OF_PATHS if hasattr(module, name)]
    for module, name in there:
        setattr(module, name, functools.lru_cache(maxsize=4096)(getattr(module, name)))
    return bool(there)


_OF_PATHS = ((trace_rules, "_as_posix_path"), (torch_traceback, "shorten_filename"))


_READ = (
    "alias",
    "default",
    "deprecated",
    "env_value_default",
    "env_value_force",
    "hide",
    "justknob",
)


def _read_settings_quickly() -> bool:
    """Hundreds of settings are read a compile, each asked whether it is deprecated or an alias."""
    module = config_module.ConfigModule
    unset = getattr(config_module, "_UNSET_SENTINEL", None)
    entry = config._config["verbose"]
    if not all(hasattr(entry, name) for name in _READ):
        return False
    if unset is None or not isinstance(getattr(entry, "user_override", None), ContextVar):
        return False
    read = module.__getattr__
    # The values that the original gives as they are; others it copies.
    plain = (bool, int, float, str, type(None))

    def read_quickly(self: Any, name: str) -> Any:
        entry = self._config.get(name)
        if (
            entry is None
            or entry.hide
            or entry.deprecated
            or entry.alias is not None
            or entry.env_value_force is not unset
        ):
            return read(self, name)
        value = entry.user_override.get()
        if value is not unset:
            return value
        value = entry.default
        if entry.env_value_default is unset and entry.justknob is None and type(value) in plain:
            return value
        return read(self, name)

    module.__getattr__ = read_quickly
    return True


SPEEDUPS = (
    Speedup("guard latency", _skip_guard_latency),
    Speedup("configurations", _skip_configurations),
    Speedup("side effect stacks", _skip_side_effect_stacks),
    Speedup("outer stacks", _skip_outer_stacks),
    Speedup("fake mode stack", _skip_fake_mode_stack),
    Speedup("event log", _skip_event_log),
    Speedup("metrics", _skip_metrics),
    Speedup("start stacks", _skip_start_stacks),
    Speedup("collections", _skip_collections),
    Speedup("remembered paths", _remember_paths),
    Speedup("quick settings", _read_settings_quickly),
)


def apply() -> list[str]:
    """Apply, for the rest of this process, every speed-up that this torch has a use for.

    Returns their names.
    """
    return [speedup.name for speedup in SPEEDUPS if speedup.apply()]
