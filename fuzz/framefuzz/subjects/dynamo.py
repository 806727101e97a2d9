"""TorchDynamo: the real ``torch.compile``."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import config as dynamo_config
from torch._dynamo import exc as dynamo_exc

from framefuzz.case import Case, InvalidCase, Program
from framefuzz.subjects import dynamo_guards, dynamo_speedups
from framefuzz.subjects.dynamo_probes import Record, breaks_since, recording
from framefuzz.subjects.eager import EagerSubject
from framefuzz.subjects.protocol import InScript, SubjectUnavailable
from framefuzz.subjects.registry import BACKENDS
from framefuzz.subjects.tracebacks import codes_of
from framefuzz.trace import EntryCheck, Trace, Verdict

# Where the compiler's own code lies: an exception raised there is the compiler's.
_COMPILER_FILES = tuple(
    f"/torch/{part}"
    for part in (
        "_dynamo/",
        "_functorch/",
        "_guards.py",
        "_inductor/",
        "_subclasses/",
        "fx/",
        "utils/_sympy/",
    )
)


class DynamoSession:
    """One program under ``torch.compile``, from an empty cache."""

    def __init__(self, program: Program, backend: str) -> None:
        self._record = Record(program.case.filename)
        self._code = main_code(program.fn)
        self._seen_breaks = 0
        self._had_entries = False
        keywords = {"backend": backend, **program.compile_kwargs}
        self._original = program.fn
        try:
            self._compiled: Callable[..., Any] = torch.compile(program.fn, **keywords)
        except Exception as error:
            raise _refused(program.case, error) from error

    @property
    def record(self) -> Record:
        return self._record

    @property
    def fn(self) -> Callable[..., Any]:
        return self._compiled

    def call_begins(self, index: int, arguments: tuple[Any, ...]) -> list[EntryCheck]:
        record = self._record
        record.call = index
        # A program can give its function other code between two calls.
        self._code = main_code(self._original) or self._code
        entries = dynamo_guards.entries_of(self._code)
        self._had_entries = bool(entries)
        checks = dynamo_guards.check_entries(entries, self._original, arguments, record.codes)
        if record.frame_verdicts is not None:
            record.frame_verdicts.clear()
        record.failed_guards.clear()
        return checks

    def call_ends(self) -> Verdict:
        record = self._record
        self._seen_breaks = breaks_since(record, self._seen_breaks)
        made = [code for code in record.codes if code.call == record.call]
        if self._code is None and made:
            # A module or another callable object: the first frame compiled stands for it.
            self._code = made[0].original
        failed = tuple(dict.fromkeys(record.failed_guards))
        if any(code.original is self._code for code in made):
            return Verdict("recompile" if self._had_entries else "compile", failed)
        if self._code is None:
            return Verdict("none")
        if self._had_entries and id(self._code) not in record.skipped and self._accepted():
            return Verdict("hit", failed)
        if record.limit_hit:
            return Verdict("fallback", failed, record.limit_hit)
        return Verdict("skip", failed, record.skips[-1] if record.skips else "")

    def _accepted(self) -> bool:
        """Whether an entry accepted the call's own frame, the first that has entries."""
        verdicts = self._record.frame_verdicts
        # Before 2.6, that no code was made for the frame is all that can be seen.
        return True if verdicts is None else bool(verdicts) and verdicts[0]

    def forget(self) -> None:
        torch._dynamo.reset()
        self._record.skipped.clear()
        self._seen_breaks = 0

    def internal_error(self, error: BaseException) -> str:
        # By its type: isinstance would ask an exception of the program's for its __class__.
        if issubclass(type(error), dynamo_exc.TorchDynamoException | _BACKEND_FAILED):
            return f"{type(error).__name__} in {_innermost_function(error)}"
        codes = codes_of(error)
        if codes and any(part in codes[-1].co_filename for part in _COMPILER_FILES):
            return f"{type(error).__name__} in {codes[-1].co_name}"
        return ""

    def collect(self, trace: Trace) -> None:
        self._record.collect(trace)


class DynamoSubject:
    """``torch.compile`` with one of BACKENDS."""

    name = "dynamo"
    in_script: InScript | None = InScript(
        compile="torch.compile",
        forget="torch._dynamo.reset",
        watch="torch._dynamo.convert_frame.register_bytecode_hook",
    )

    def __init__(self, backend: str = "eager") -> None:
        if backend not in BACKENDS:
            raise SubjectUnavailable(
                f"dynamo has no backend {backend!r} here: choose one of {', '.join(BACKENDS)}"
            )
        self.backend = backend
        self.exact = backend == "eager"

    def versions(self) -> dict[str, str]:
        return {**EagerSubject().versions(), "backend": self.backend}

    def speed_up(self) -> list[str]:
        return dynamo_speedups.apply()

    @contextmanager
    def open(self, program: Program) -> Iterator[DynamoSession]:
        torch._dynamo.reset()
        # What this torch does not have cannot be set; the case then tests what is left.
        settings = {name: value for name, value in program.config.items() if _has_setting(name)}
        try:
            with (
                dynamo_config.patch(**settings) if settings else nullcontext(),
                _eager_random() if self.backend == "inductor" else nullcontext(),
            ):
                session = DynamoSession(program, self.backend)
                with recording(session.record):
                    yield session
        finally:
            torch._dynamo.reset()


_BACKEND_FAILED: type[BaseException] = dynamo_exc.BackendCompilerFailed


def _eager_random() -> AbstractContextManager[None]:
    """Inductor has random numbers of its own, documented to differ from eager's, unless asked."""
    from torch._inductor import config as inductor_config

    patch: AbstractContextManager[None] = inductor_config.patch(fallback_random=True)
    return patch


def _has_setting(name: str) -> bool:
    return name in dynamo_config._config


def _refused(case: Case, error: Exception) -> InvalidCase:
    """That ``KW`` holds what torch.compile does not take, and the line that it stands in."""
    lines = case.source.splitlines()
    line = next((n for n, text in enumerate(lines, 1) if text.startswith("KW")), None)
    said = str(error).partition("\n")[0]
    return InvalidCase(f"torch.compile refuses KW: {said}", case.filename, line)


def main_code(fn: Callable[..., Any]) -> types.CodeType | None:
    """The code object that a call of ``fn`` runs first; None where there is none to be seen."""
    # By exact type: isinstance would ask a callable object for its __class__.
    if type(fn) is types.MethodType:
        fn = fn.__func__
    return fn.__code__ if type(fn) is types.FunctionType else None


def _innermost_function(error: BaseException) -> str:
    """The innermost function of torch in the chain of causes, where the compiler failed."""
    seen: set[int] = set()
    current: BaseException | None = error
    name = "?"
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        inside = [code for code in codes_of(current) if "/torch/" in code.co_filename]
        if inside:
            name = inside[-1].co_name
        current = current.__cause__ or current.__context__
    return name
