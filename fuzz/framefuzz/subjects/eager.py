"""Eager CPython: the reference."""

from __future__ import annotations

import hashlib
import platform
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from framefuzz.case import Program
from framefuzz.subjects.protocol import InScript
from framefuzz.trace import EntryCheck, Trace, Verdict


class EagerSession:
    """Runs the program as it is."""

    def __init__(self, program: Program) -> None:
        self._fn = program.fn

    @property
    def fn(self) -> Callable[..., Any]:
        return self._fn

    def call_begins(self, index: int, arguments: tuple[Any, ...]) -> list[EntryCheck]:
        return []

    def call_ends(self) -> Verdict:
        return Verdict("none")

    def forget(self) -> None:
        pass

    def internal_error(self, error: BaseException) -> str:
        return ""

    def collect(self, trace: Trace) -> None:
        pass


class EagerSubject:
    """CPython without any compiler."""

    name = "eager"
    in_script: InScript | None = None
    exact = True

    def __init__(self, backend: str = "eager") -> None:
        del backend  # one signature for all subjects

    def versions(self) -> dict[str, str]:
        return {"python": platform.python_version(), "torch": torch.__version__}

    def speed_up(self) -> list[str]:
        return []

    @contextmanager
    def open(self, program: Program) -> Iterator[EagerSession]:
        yield EagerSession(program)


class WatchedEager(EagerSubject):
    """CPython, noting which plain values the program's own frames hold on their way.

    That tells two calls apart that began and ended alike, and read a clock in between.  ``seen``
    is a digest a call.  The frames are watched as a debugger would, from outside.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bytes] = []

    @contextmanager
    def open(self, program: Program) -> Iterator[EagerSession]:
        yield _WatchedSession(program, self.seen)


class _WatchedSession(EagerSession):
    def __init__(self, program: Program, seen: list[bytes]) -> None:
        super().__init__(program)
        self._filename = program.case.filename
        self._seen = seen
        self._hasher = hashlib.blake2b(digest_size=16)

    @property
    def fn(self) -> Callable[..., Any]:
        return self._watched

    def call_ends(self) -> Verdict:
        self._seen.append(self._hasher.digest())
        self._hasher = hashlib.blake2b(digest_size=16)
        return super().call_ends()

    def _watched(self, *arguments: Any) -> Any:
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return self._fn(*arguments)
        finally:
            sys.settrace(before)

    def _enter(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        return self._step if frame.f_code.co_filename == self._filename else None

    def _step(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        names = frame.f_locals
        # A class body can run in a mapping of the program's own.
        if type(names) is dict:
            self._note(f"{event} {frame.f_lineno}", argument if event == "return" else None)
            for name, value in names.items():
                self._note(name, value)
        return self._step

    def _note(self, name: Any, value: Any) -> None:
        if type(name) is not str:
            return
        # By exact type, and by identity: a metaclass of the program's can have an __eq__.
        if id(type(value)) in _PLAIN:
            self._hasher.update(f"{name} {_text(value)}\n".encode("utf-8", "surrogatepass"))
        elif type(value) is list or type(value) is tuple:
            for item in value:
                if id(type(item)) in _PLAIN:
                    self._note(name, item)


_PLAIN = frozenset(map(id, (int, float, complex, bool, str, bytes, type(None))))


def _text(value: Any) -> str:
    # The decimal digits of a long int would take long, and are refused.
    return hex(value) if type(value) is int else repr(value)
