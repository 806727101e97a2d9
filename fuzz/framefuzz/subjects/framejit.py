"""framejit: the project's own compiler."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import framejit
from framejit import Compiled, Skipped, _native

from framefuzz.case import Program
from framefuzz.subjects.dynamo import main_code
from framefuzz.subjects.eager import EagerSubject
from framefuzz.subjects.protocol import InScript, SubjectUnavailable
from framefuzz.subjects.registry import BACKENDS
from framefuzz.trace import Break, CodeMade, EntryCheck, Trace, Verdict


class FramejitSession:
    """One program under framejit, from an empty cache."""

    def __init__(self, program: Program, backend: str) -> None:
        self._filename = program.case.filename
        self._original = program.fn
        self._compiled: Callable[..., Any] = framejit.compile(program.fn, backend=backend)
        self._call = 0
        self._codes: list[CodeMade] = []
        self._breaks: list[Break] = []
        self._skips: list[str] = []
        self._errors: list[str] = []
        self._graphs = 0
        self._limit_hit = ""
        self._recorder = _native.Recorder()

    @property
    def fn(self) -> Callable[..., Any]:
        return self._compiled

    def call_begins(self, index: int, arguments: tuple[Any, ...]) -> list[EntryCheck]:
        self._call = index
        self._recorder.clear()
        self._recorder.start()
        return []

    def call_ends(self) -> Verdict:
        self._recorder.stop()
        code = main_code(self._original)
        for verdict in self._recorder.verdicts:
            if verdict.code is code or code is None and self._is_of_case(verdict.code):
                return self._described(verdict)
        return Verdict("none")

    def _is_of_case(self, code: types.CodeType) -> bool:
        return code.co_filename == self._filename

    def _described(self, verdict: _native.Verdict) -> Verdict:
        failed = tuple(
            dict.fromkeys(
                f"{failure.source}: {failure.expected}" for _, failure in verdict.failures
            )
        )
        if verdict.outcome == "hit":
            return Verdict("hit", failed)
        if verdict.outcome == "compiled":
            return Verdict("recompile" if failed else "compile", failed)
        if self._limit_hit and verdict.outcome != "no entry":
            return Verdict("fallback", failed, self._limit_hit)
        return Verdict("skip", failed, verdict.reason)

    def forget(self) -> None:
        framejit.reset()

    def internal_error(self, error: BaseException) -> str:
        return ""

    def collect(self, trace: Trace) -> None:
        trace.codes = self._codes
        trace.breaks = self._breaks
        trace.skips = self._skips
        trace.graphs = self._graphs
        trace.limit_hit = self._limit_hit

    def event(self, event: Compiled | Skipped) -> None:
        """Note what framejit has done."""
        if not self._is_of_case(event.code):
            return
        if isinstance(event, Skipped):
            self._skips.append(f"{event.code.co_name}: {event.reason}")
            if event.reason.startswith("compiled "):
                self._limit_hit = event.reason
            return
        resume = event.code.co_name.startswith("resume_in_")
        self._codes.append(CodeMade(self._call, event.code, event.made, resume))
        self._graphs += event.graph is not None
        if event.line is not None:
            self._breaks.append(Break(self._call, event.reason, event.line))


class FramejitSubject:
    """``framejit.compile`` with one of BACKENDS."""

    name = "framejit"
    in_script: InScript | None = None

    def __init__(self, backend: str = "eager") -> None:
        if backend not in BACKENDS:
            raise SubjectUnavailable(
                f"framejit has no backend {backend!r} here: choose one of {', '.join(BACKENDS)}"
            )
        self.backend = backend
        self.exact = backend == "eager"

    def versions(self) -> dict[str, str]:
        return {**EagerSubject().versions(), "backend": self.backend}

    def speed_up(self) -> list[str]:
        return []

    @contextmanager
    def open(self, program: Program) -> Iterator[FramejitSession]:
        framejit.reset()
        session = FramejitSession(program, self.backend)
        framejit.listeners.append(session.event)
        try:
            yield session
        finally:
            framejit.listeners.remove(session.event)
            framejit.reset()
