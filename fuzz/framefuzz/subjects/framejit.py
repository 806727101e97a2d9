"""framejit: the project's own compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import framejit
from framefuzz.case import Program
from framefuzz.subjects import framejit_guards
from framefuzz.subjects.dynamo import main_code
from framefuzz.subjects.eager import EagerSubject
from framefuzz.subjects.protocol import InScript, SubjectUnavailable
from framefuzz.subjects.registry import BACKENDS
from framefuzz.subjects.tracebacks import codes_of
from framefuzz.trace import Break, CodeMade, EntryCheck, Trace, Verdict
from framejit import Compiled, Skipped, _native

# Where framejit's own code lies: an exception raised there is framejit's.
_OWN = str(Path(framejit.__file__).parent)
# How the reason begins that it gives for a code object at its recompile limit.
_LIMIT = "compiled "


class FramejitSession:
    """One program under framejit, from an empty cache."""

    def __init__(self, program: Program, backend: str) -> None:
        self._original = program.fn
        # KW holds what torch.compile takes; framejit has no such settings.
        self._compiled: Callable[..., Any] = framejit.compile(program.fn, backend=backend)
        self._code = main_code(program.fn)
        self._call = 0
        self._codes: list[CodeMade] = []
        self._resumes: set[int] = set()
        self._made: dict[int, framejit_guards.Made] = {}
        self._breaks: list[Break] = []
        self._skips: list[str] = []
        self._graphs = 0
        self._limit_hit = ""
        self._recorder = _native.Recorder()

    @property
    def fn(self) -> Callable[..., Any]:
        return self._compiled

    def call_begins(self, index: int, arguments: tuple[Any, ...]) -> list[EntryCheck]:
        self._call = index
        # A program can give its function other code between two calls.
        self._code = main_code(self._original) or self._code
        checks = framejit_guards.check_entries(self._original, arguments, self._made)
        self._recorder.clear()
        self._recorder.start()
        return checks

    def call_ends(self) -> Verdict:
        self._recorder.stop()
        if self._code is None and self._codes:
            # A module or another callable object: the first frame compiled stands for it.
            self._code = self._codes[0].original
        for verdict in self._recorder.verdicts:
            if verdict.code is self._code:
                return self._described(verdict)
        return Verdict("none")

    def _described(self, verdict: _native.Verdict) -> Verdict:
        failures = [framejit_guards.failure_text(failure) for _, failure in verdict.failures]
        failed = tuple(dict.fromkeys(failures))
        if verdict.outcome == "hit":
            return Verdict("hit", failed)
        if verdict.outcome == "compiled":
            return Verdict("recompile" if failed else "compile", failed)
        reason = verdict.reason or (self._skips[-1] if self._skips else "")
        if reason.startswith(_LIMIT):
            return Verdict("fallback", failed, reason)
        return Verdict("skip", failed, reason)

    def forget(self) -> None:
        framejit.reset()

    def internal_error(self, error: BaseException) -> str:
        codes = codes_of(error)
        if codes and codes[-1].co_filename.startswith(_OWN):
            return f"{type(error).__name__} in {codes[-1].co_name}"
        return ""

    def collect(self, trace: Trace) -> None:
        trace.codes = self._codes
        trace.breaks = self._breaks
        trace.skips = self._skips
        trace.graphs = self._graphs
        trace.limit_hit = self._limit_hit

    def event(self, event: Compiled | Skipped) -> None:
        """Note what framejit has done."""
        code = event.code
        if isinstance(event, Skipped):
            self._skips.append(f"{code.co_name}: {event.reason}")
            if event.reason.startswith(_LIMIT):
                self._limit_hit = event.reason
            return
        self._codes.append(CodeMade(self._call, code, event.made, id(code) in self._resumes))
        self._made[id(event.made)] = framejit_guards.Made.of(self._call, event.guards)
        for resume in event.resumes:
            # Judged now: whether it is ever compiled itself is another question.
            if id(resume) not in self._resumes:
                self._resumes.add(id(resume))
                self._codes.append(CodeMade(self._call, resume, resume, True))
        if event.line is not None:
            self._breaks.append(Break(self._call, event.reason, event.line))
        if event.graph is not None:
            self._graphs += 1
        else:
            self._skips.append(f"{code.co_name}: nothing captured before: {event.reason}")


class FramejitSubject:
    """``framejit.compile`` with one of BACKENDS."""

    name = "framejit"
    in_script: InScript | None = InScript(
        compile="framejit.compile",
        forget="framejit.reset",
        watch="framejit.on_code",
        ask="framejit.ask",
        takes_keywords=False,
    )

    def __init__(self, backend: str = "eager") -> None:
        if backend not in BACKENDS:
            raise SubjectUnavailable(
                f"framejit has no backend {backend!r} here: choose one of {', '.join(BACKENDS)}"
            )
        self.backend = backend
        self.exact = backend == "eager"

    def versions(self) -> dict[str, str]:
        return {
            **EagerSubject().versions(),
            "framejit": framejit.__version__,
            "backend": self.backend,
        }

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
