"""What the tests of framejit share: programs that are judged, functions that are observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from soundness import verify_made

import framejit
from framefuzz.case import Case, read_case
from framefuzz.judgement import Judgement
from framefuzz.oracles.judge import Options, judge
from framefuzz.subjects.framejit import FramejitSubject
from framejit import Compiled, Skipped

PROGRAMS = Path(__file__).parent / "programs"
CORPUS = sorted((Path(__file__).parents[2] / "corpus").glob("*/*.py"))

# Programs of which nothing is captured: all that counts is that they do what they do under eager.
VACUOUS = {
    "class_body": "makes a class",
    "gen_root": "is a generator",
    "list_in_itself_shown": "values nested without end",
    "list_methods": "compares tensors before any operation",
    "with_exc": "prints before any operation",
}


def programs(topic: str) -> list[Path]:
    """The programs about something."""
    return sorted((PROGRAMS / topic).glob("*.py"))


def stem(path: Path) -> str:
    """A program's name, for a test's."""
    return path.stem


def check_program(path: Path) -> None:
    """Judge a program of these tests under framejit, and see that something was captured."""
    assert check(read_case(path)).status == ("vacuous" if path.stem in VACUOUS else "same")


def check(case: Case, *, ignore: frozenset[str] = frozenset()) -> Judgement:
    """Judge a case under framejit: no divergence, no internal error, no unsound code.

    ``ignore`` names oracles to leave out.
    """
    with observed() as events:
        judgement = judge(case, FramejitSubject(), Options(ignore=ignore))
    assert judgement.divergences == []
    assert judgement.message == ""
    assert [e.reason for e in events if isinstance(e, Skipped) and e.error is not None] == []
    verify_made(events.compiled)
    return judgement


class Events(list[Any]):
    """What framejit has told of."""

    @property
    def compiled(self) -> list[Compiled]:
        """Frames that were compiled."""
        return [event for event in self if isinstance(event, Compiled)]

    @property
    def skipped(self) -> list[str]:
        """Why frames were left to CPython."""
        return [event.reason for event in self if isinstance(event, Skipped)]

    @property
    def breaks(self) -> list[str]:
        """Why graphs broke."""
        return [event.reason for event in self.compiled if event.line is not None]

    @property
    def graphs(self) -> int:
        """How many graphs were captured."""
        return sum(event.graph is not None for event in self.compiled)


@contextmanager
def observed() -> Iterator[Events]:
    """Events of what is compiled inside, from an empty cache."""
    framejit.reset()
    events = Events()
    framejit.listeners.append(events.append)
    try:
        yield events
    finally:
        framejit.listeners.remove(events.append)
        framejit.reset()


def recompiles(function: Callable[..., Any], *calls: tuple[Any, ...]) -> list[int]:
    """How many code objects are made in each of some calls."""
    with observed() as events:
        compiled = framejit.compile(function)
        made = []
        for arguments in calls:
            before = len(events.compiled)
            compiled(*arguments)
            made.append(len(events.compiled) - before)
        return made
