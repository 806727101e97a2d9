"""Breaks at any instruction: the graph is made to break where it would not, in every frame.

A break that is natural is at a few kinds of instruction; what comes before and after it must not
care.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from checking import CORPUS, check, stem

from framefuzz.case import Case, read_case
from framefuzz.generate import case_for
from framejit.tracing import Traced, Tracer

# No instruction of the program: it belongs to the next one, or to an exception that is handled.
_PARTS = {"KW_NAMES", "PRECALL", "PUSH_EXC_INFO", "POP_EXCEPT", "SWAP", "COPY", "LOAD_CLOSURE"}


@pytest.fixture(params=range(2))
def breaking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each frame breaks at an instruction that its name and length choose."""
    once = Tracer._once

    def forced_once(self: Tracer, forced: dict[int, str], static: frozenset[str]) -> Traced:
        forced.setdefault(_chosen(self, request.param), "made to break here")
        return once(self, forced, static)

    monkeypatch.setattr(Tracer, "_once", forced_once)


def _chosen(tracer: Tracer, seed: int) -> int:
    """A visit: the first ones are the frame's instructions in order."""
    code, names = tracer._decoded.code, [each.name for each in tracer._decoded.instructions]
    resume = tracer._resumes.of(code)
    first = names.index("RESUME") + 1 if resume is None else resume.start
    place = first + random.Random(f"{seed} {code.co_name} {len(names)}").randrange(40)
    place = min(place, len(names) - 1)
    while names[place] in _PARTS:
        place += 1
    return place + 1


@pytest.mark.usefixtures("breaking")
@pytest.mark.parametrize("path", CORPUS, ids=stem)
def test_corpus(path: Path) -> None:
    check(read_case(path))


def _generated(count: int) -> Iterator[Case]:
    for index in range(count):
        yield case_for(5, index)


@pytest.mark.usefixtures("breaking")
def test_generated() -> None:
    for case in _generated(20):
        check(case)


@pytest.mark.nightly
@pytest.mark.usefixtures("breaking")
def test_many_generated() -> None:
    for case in _generated(500):
        # With more breaks there are more resume functions, and sooner too many versions of one.
        check(case, ignore=frozenset({"recompile"}))
