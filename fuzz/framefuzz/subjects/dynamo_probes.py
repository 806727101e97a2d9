"""What TorchDynamo shows of its work, collected through its own hooks where it has them.

Each probe is behind a check for what it needs, so that every torch from 2.3 on works; what a
version does not show is left empty (docs/subjects.md has the table).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from torch._dynamo import convert_frame, guards
from torch._dynamo import utils as dynamo_utils

from framefuzz.trace import Break, CodeMade, Trace


@dataclass
class Record:
    """What was seen since the session began; ``call`` is the number of the call under way.

    ``frame_verdicts`` holds, for each frame of the call whose code has entries, whether one
    accepted; None where torch does not say (before 2.6).  ``skipped`` are the codes of the case
    that Dynamo has given up on, by id: a code object that a compiler made can hold constants that
    have no hash, and then has none itself.
    """

    filename: str
    call: int = 0
    codes: list[CodeMade] = field(default_factory=list)
    frame_verdicts: list[bool] | None = None
    skipped: dict[int, types.CodeType] = field(default_factory=dict)
    failed_guards: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    limit_hit: str = ""

    def collect(self, trace: Trace) -> None:
        """Copy what was seen into a trace."""
        trace.codes = self.codes
        trace.breaks = self.breaks
        trace.skips = self.skips
        trace.limit_hit = self.limit_hit
        trace.graphs = dynamo_utils.counters["stats"]["unique_graphs"]


@contextmanager
def recording(record: Record) -> Iterator[None]:
    """Install every probe that this torch has; take all of them out again on exit."""
    with ExitStack() as stack:
        for probe in (_codes, _frame_verdicts, _failed_guards, _skips, _limits):
            stack.enter_context(probe(record))
        dynamo_utils.counters.clear()
        yield


@contextmanager
def _codes(record: Record) -> Iterator[None]:
    """Every generated code object; a resume function's original is itself generated."""
    made: set[int] = set()

    def hook(original: types.CodeType, transformed: types.CodeType) -> None:
        resume = original.co_name.startswith(("torch_dynamo_resume", "<resume")) or (
            id(original) in made
        )
        made.add(id(transformed))
        record.codes.append(CodeMade(record.call, original, transformed, resume))

    handle = convert_frame.register_bytecode_hook(hook)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def _frame_verdicts(record: Record) -> Iterator[None]:
    """Whether a cache entry accepted, for each frame whose code has entries (since 2.6)."""
    try:
        from torch._C._dynamo.eval_frame import set_guard_complete_hook
    except ImportError:
        yield
        return

    verdicts = record.frame_verdicts = []

    def hook(accepted: bool) -> bool:
        verdicts.append(accepted)
        return accepted  # another answer would force a recompile

    previous = set_guard_complete_hook(hook)
    try:
        yield
    finally:
        set_guard_complete_hook(previous)


@contextmanager
def _failed_guards(record: Record) -> Iterator[None]:
    """The text of the first failing guard, for each entry of a frame that is recompiled."""
    original = guards.get_guard_fail_reason

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        reason = original(*args, **kwargs)
        record.failed_guards.append(_condition(str(reason)))
        return reason

    with mock.patch.object(guards, "get_guard_fail_reason", wrapper):
        yield


def _condition(reason: str) -> str:
    """The failed condition alone: without the compile id before it and the source after it."""
    condition = reason.partition("\n")[0].partition("  # ")[0]
    head, colon, tail = condition.partition(": ")
    if colon and all(part.strip("[]").isdigit() for part in head.split("/")):
        condition = tail
    return condition.strip()


@contextmanager
def _skips(record: Record) -> Iterator[None]:
    """Why a frame of the case was left to CPython (since 2.6)."""
    wrapper_class = getattr(convert_frame, "CatchErrorsWrapper", None)
    if wrapper_class is None:
        yield
        return
    original = wrapper_class.__call__

    def call(self: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, frame, *args, **kwargs)
        reason = getattr(result, "skip_reason", None)
        if reason and result.guarded_code is None and frame.f_code.co_filename == record.filename:
            record.skipped[id(frame.f_code)] = frame.f_code
            cause = _last_unsupported() if "suppressed" in reason else ""
            record.skips.append(f"{frame.f_code.co_name}: {cause or str(reason).strip()}")
        return result

    with mock.patch.object(wrapper_class, "__call__", call):
        yield


def _last_unsupported() -> str:
    """What Dynamo last found that it does not support, in its own words, or an empty string.

    A reason can hold the earlier ones that led to it; the last is why the frame was given up.
    """
    reasons = list(dynamo_utils.counters["unimplemented"])
    return reasons[-1].rpartition("***")[2].strip().partition("\n")[0] if reasons else ""


@contextmanager
def _limits(record: Record) -> Iterator[None]:
    """Whether a recompile limit was reached (named cache_size_limit before 2.6)."""
    name = next(
        name
        for name in ("exceeds_recompile_limit", "exceeds_cache_size_limit")
        if hasattr(convert_frame, name)
    )
    original: Callable[..., tuple[bool, str]] = getattr(convert_frame, name)

    def wrapper(*args: Any, **kwargs: Any) -> tuple[bool, str]:
        exceeded, limit = original(*args, **kwargs)
        if exceeded and not record.limit_hit:
            record.limit_hit = str(limit)
        return exceeded, limit

    with mock.patch.object(convert_frame, name, wrapper):
        yield


def breaks_since(record: Record, seen: int) -> int:
    """Move the graph breaks after the first ``seen`` into the record; return how many there are.

    ``torch._dynamo.reset()`` empties Dynamo's list, so it is read after each call.
    """
    reasons = dynamo_utils.graph_break_reasons
    for reason in reasons[seen:]:
        lines = [f.lineno for f in reason.user_stack if f.filename == record.filename]
        first_line = reason.reason.strip().partition("\n")[0]
        record.breaks.append(Break(record.call, first_line, lines[-1] if lines else 0))
    return len(reasons)
