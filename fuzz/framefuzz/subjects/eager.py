"""Eager CPython: the reference."""

from __future__ import annotations

import platform
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
