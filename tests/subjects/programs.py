"""Small cases, and runs of them."""

from __future__ import annotations

import textwrap

from framefuzz.case import Case
from framefuzz.subjects.eager import EagerSubject
from framefuzz.subjects.protocol import Subject
from framefuzz.subjects.run import run
from framefuzz.trace import Node, Trace

THREE_CALLS = """
def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
"""

# A graph break, with a graph on each side of it.
BREAKS = """
    def make():
        n = 1
        def f(x):
            y = x * n
            torch._dynamo.graph_break()
            return y + 1
        return f
"""

# What was captured changes, and changes back.
NAMED = """
    def make():
        name = "a"
        return lambda x: x + len(name)
    def calls(fn):
        for name in ("a", "bb", "a"):
            fn.__closure__[0].cell_contents = name
            yield (torch.ones(2),)
"""

# More than any compiler compiles one code object for.
TWELVE_STATES = """
    def make(): return lambda x, s: x + len(s)
    def calls(fn):
        for index in range(12):
            yield (torch.ones(2), "s" * index)
"""


def case_of(source: str) -> Case:
    """A case with this source; torch imported and three calls of ones where it says no more."""
    source = "import torch\n" + textwrap.dedent(source)
    if "def calls" not in source:
        source += THREE_CALLS
    return Case("small", source, "small.py")


def run_of(source: str, subject: Subject | None = None, **options: object) -> Trace:
    """The trace of a case with this source."""
    return run(case_of(source), subject or EagerSubject(), **options)  # type: ignore[arg-type]


def verdicts(trace: Trace) -> list[str]:
    """What was decided of each call, in a word."""
    return [call.verdict.kind for call in trace.calls]


def stdouts(trace: Trace) -> list[str]:
    """What each call printed, as its text in the observation."""
    return [call.after.sections["stdout"].text for call in trace.calls]


def part(node: Node, edge: str) -> Node:
    """One part of a node."""
    return dict(node.parts)[edge]
