"""What a subject is: something that compiles a callable and shows what it made and decided.

A compiler of somebody else's is one class with these members, named in the entry point group
``framefuzz.subjects``.  A subject's class takes one keyword argument, ``backend``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from framefuzz.case import Program
from framefuzz.trace import EntryCheck, Trace, Verdict


class SubjectUnavailable(Exception):
    """A subject that cannot run here: says what is missing and what to install."""


class Session(Protocol):
    """One program under one subject, from a clean state."""

    @property
    def fn(self) -> Callable[..., Any]:
        """The compiled callable."""

    def call_begins(self, index: int, arguments: tuple[Any, ...]) -> list[EntryCheck]:
        """Note that call ``index`` is about to start; say how each cache entry judges it."""

    def call_ends(self) -> Verdict:
        """What the compiler decided of the call that has just ended."""

    def forget(self) -> None:
        """Drop all that was compiled: the next call compiles afresh."""

    def internal_error(self, error: BaseException) -> str:
        """Name an exception that is the compiler's own failure; empty for the program's own.

        The name is stable across runs: an exception type and a function of the compiler.
        """

    def collect(self, trace: Trace) -> None:
        """Fill in codes, graphs, breaks, skips and limits."""


@dataclass(frozen=True)
class InScript:
    """What a plain script, without framefuzz, calls to use a compiler: dotted names of functions.

    ``compile`` takes a function and the keyword ``backend``, beside those of the case's KW, and
    returns the compiled function.  ``forget`` drops all that was compiled.  ``watch`` takes a
    function that is then called with the original and the new code object of each that is made.
    ``ask``, where there is such a function, takes the function that is compiled and a call's
    arguments, and gives how each cache entry judges the call: objects with the attributes
    ``fast``, ``explained`` and ``by_dict``, and ``entry``, whose ``guards`` are pairs of texts.
    ``takes_keywords`` says whether ``compile`` takes those of KW.
    """

    compile: str
    forget: str
    watch: str
    ask: str = ""
    takes_keywords: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """All that a script could have to import."""
        return self.compile, self.forget, self.watch, self.ask


class Subject(Protocol):
    """Something that runs a case."""

    name: str
    in_script: InScript | None
    """How the scripts of findings use it; None for one that has no findings."""
    exact: bool
    """Whether tensors must agree bit for bit; else within the tolerances of the oracle."""

    def versions(self) -> dict[str, str]:
        """Versions of all that the outcome depends on."""

    def speed_up(self) -> list[str]:
        """Leave out, for the rest of the process, what costs time and changes no outcome.

        Called in bulk runs only, never where a finding is confirmed.  Returns what was left out.
        """

    def open(self, program: Program) -> AbstractContextManager[Session]:
        """Start on a freshly executed program; what was changed is restored on exit."""
