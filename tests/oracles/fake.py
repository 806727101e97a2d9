"""A compiler that does, for each call, what a test says, behind the protocol of subjects."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from framefuzz.case import Case, Program
from framefuzz.oracles.judge import Judgement, Options, judge
from framefuzz.trace import CodeMade, EntryCheck, Trace, Verdict

CALLS = """
def calls(fn):
    for index in range({calls}):
        yield ()
"""

# Programs that several oracles' tests judge.
COUNTS = """
    def make():
        count = 0
        def step():
            nonlocal count
            count += 1
            return count
        return step
"""
# The state before each call is the same but for what calls() changes.
STILL = """
    def make():
        factor, ignored = 2, 0
        def step(): return factor + 0 * ignored
        return step
"""
CHANGES = (
    STILL
    + """
    def calls(fn):
        for factor in (2, 2, 3):
            fn.__closure__[0].cell_contents = factor
            yield ()
"""
)


def case_of(source: str, calls: int = 3) -> Case:
    """A case with this source, and so many calls without arguments where it has no calls()."""
    source = textwrap.dedent(source)
    if "def calls" not in source:
        source += CALLS.format(calls=calls)
    return Case("fake", source, "fake.py")


@dataclass
class Fake:
    """What the compiler does.

    ``instead`` replaces the program's function; it is given that, the call's number and whether
    all was forgotten.  ``compiles`` are the calls during which code is made, by the guards that
    failed; a call between hits.
    """

    instead: Callable[[Callable[..., Any], int, bool], Any] = lambda fn, call, fresh: fn()
    compiles: dict[int, tuple[str, ...]] = field(default_factory=lambda: {0: ()})
    checks: dict[int, list[EntryCheck]] = field(default_factory=dict)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    internal: str = ""
    limit: str = ""
    codes: list[CodeMade] = field(default_factory=list)
    exact: bool = True
    name: str = "fake"

    def versions(self) -> dict[str, str]:
        return {}

    @contextmanager
    def open(self, program: Program) -> Iterator[_Session]:
        yield _Session(self, program)


class _Session:
    def __init__(self, fake: Fake, program: Program) -> None:
        self._fake = fake
        self._program = program
        self._call = 0
        self._fresh = False
        self._made: list[CodeMade] = []

    @property
    def fn(self) -> Callable[..., Any]:
        return lambda *arguments: self._fake.instead(self._program.fn, self._call, self._fresh)

    def call_begins(self, index: int, arguments: tuple[Any, ...]) -> list[EntryCheck]:
        self._call = index
        return self._fake.checks.get(index, [])

    def call_ends(self) -> Verdict:
        compiles = self._fake.compiles
        if self._call in compiles or self._fresh:
            code = self._program.module.__dict__["make"].__code__
            self._made.append(CodeMade(self._call, code, code, False))
        if self._call in self._fake.verdicts:
            return self._fake.verdicts[self._call]
        if self._call not in compiles:
            return Verdict("hit")
        kind = "compile" if self._call == min(compiles) else "recompile"
        return Verdict(kind, compiles[self._call])  # type: ignore[arg-type]

    def forget(self) -> None:
        self._fresh = True

    def internal_error(self, error: BaseException) -> str:
        return self._fake.internal

    def collect(self, trace: Trace) -> None:
        trace.codes = self._made + self._fake.codes
        trace.graphs = len(trace.codes)
        trace.limit_hit = self._fake.limit


def judged(source: str, fake: Fake, calls: int = 3, **options: frozenset[str]) -> Judgement:
    """The judgement of a case with this source under a fake compiler."""
    return judge(case_of(source, calls), fake, Options(**options))


def found(judgement: Judgement) -> list[tuple[str, int, str]]:
    """Oracle, call and kind of each divergence."""
    return [(d.oracle, d.call, d.kind) for d in judgement.divergences]
