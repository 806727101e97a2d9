"""What compiling does for logs and metrics alone, left out."""

from __future__ import annotations

import functools
import sys
import traceback
from typing import Any

import torch._guards
from torch._dynamo import config, convert_frame, exc, guards, utils
from torch._subclasses import fake_tensor

from framefuzz.subjects.dynamo_speedups.speedup import Speedup

# What compile metrics serialize, once a compile, as JSON: whole configurations.
_CONFIGURATIONS = (
    "_compiler_config_for_logging",
    "_functorch_config_for_logging",
    "_get_dynamo_config_for_logging",
    "_scrubbed_inductor_config_for_logging",
)


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
    """The module ``traceback`` for a module that describes stacks, without doing so."""

    def __getattr__(self, name: str) -> Any:
        return getattr(traceback, name)

    def extract_stack(self) -> traceback.StackSummary:
        return traceback.StackSummary()

    def format_exc(self) -> str:
        return ""


def _skip_error_stacks() -> bool:
    """Why a frame is given up is formatted with the compiler's stack, for metrics and a warning."""
    if not hasattr(convert_frame, "traceback") or not hasattr(exc, "format_exc"):
        return False
    convert_frame.traceback = _NoStacks()
    exc.format_exc = _NoStacks().format_exc
    return True


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
    """A compile begins with formatting twice where it was called from, at the debug level too.

    And each of its metrics keeps where it was set.
    """
    # The metrics have a module of their own since 2.6.
    metrics = sys.modules.get("torch._dynamo.metrics_context")
    there: list[Any] = [m for m in (convert_frame, metrics) if hasattr(m, "CapturedTraceback")]
    for module in there:
        module.CapturedTraceback = _NoCapture
    return bool(there)


def _skip_guard_origins() -> bool:
    """A guard that comes from no line of the program's is printed with the compiler's own."""
    original = getattr(guards, "get_verbose_code_part", None)
    add = torch._guards.GuardsSet.add
    if original is None or "collect_debug_stack" not in (add.__kwdefaults__ or {}):
        return False

    @functools.wraps(add)
    def add_without_stack(
        self: Any, guard: Any, *, collect_debug_stack: bool = True, skip: int = 0
    ) -> None:
        add(self, guard, collect_debug_stack=False, skip=skip)

    torch._guards.GuardsSet.add = add_without_stack

    def print_part(code_part: str, guard: Any) -> str:
        printed: str = original(code_part, guard)
        # As the original where it knows no origin: what follows a condition is a comment.
        return printed if guard is None or guard.user_stack else f"{printed}  # <unknown>"

    guards.get_verbose_code_part = print_part
    return True


class _Event:
    """A phase of a compile, in place of ``dynamo_timed``: others may look for it by name."""

    __slots__ = ("_compile_id", "_log", "_name", "_substack")

    def __init__(
        self,
        key: str,
        phase_name: str | None = None,
        log_pt2_compile_event: bool = False,
        metadata: Any = None,
        dynamo_compile_column_us: str | None = None,
        compile_id: Any = None,
        **more: Any,
    ) -> None:
        self._name = phase_name or key
        self._substack = log_pt2_compile_event
        self._compile_id = compile_id
        self._log = utils.get_chromium_event_logger()

    def __enter__(self) -> None:
        self._log.log_event_start(self._name, 0, {}, self._substack, self._compile_id)

    def __exit__(self, *exception: object) -> None:
        self._log.log_event_end(self._name, 0, {}, 0, self._substack, self._compile_id)


def _skip_timing() -> bool:
    """Each phase of a compile is timed, for logs and metrics."""
    original: Any = getattr(utils, "dynamo_timed", None)
    logger: Any = getattr(utils, "ChromiumEventLogger", None)
    if not hasattr(logger, "_log_timed_event") or not hasattr(original, "__wrapped__"):
        return False
    parameters = original.__wrapped__.__code__.co_varnames
    if parameters[:6] != _Event.__init__.__code__.co_varnames[1:7]:
        return False
    modules: list[Any] = list(sys.modules.values())
    for module in modules:
        if vars(module).get("dynamo_timed") is original:
            module.dynamo_timed = _Event
    return True


def _skip_collections() -> bool:
    """After each compile the young garbage is collected, 1 ms; here it dies with its process."""
    if not hasattr(config, "run_gc_after_compile"):
        return False
    config.run_gc_after_compile = False
    return True


LEFT_OUT = (
    Speedup("guard latency", _skip_guard_latency),
    Speedup("configurations", _skip_configurations),
    Speedup("side effect stacks", _skip_side_effect_stacks),
    Speedup("outer stacks", _skip_outer_stacks),
    Speedup("error stacks", _skip_error_stacks),
    Speedup("fake mode stack", _skip_fake_mode_stack),
    Speedup("event log", _skip_event_log),
    Speedup("metrics", _skip_metrics),
    Speedup("start stacks", _skip_start_stacks),
    Speedup("guard origins", _skip_guard_origins),
    Speedup("timing", _skip_timing),
    Speedup("collections", _skip_collections),
)
