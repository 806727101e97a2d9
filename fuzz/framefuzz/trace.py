"""What a subject did with a case: observations, and what the compiler made.

The words of docs/design.md as types; no logic beyond looking things up.
"""

from __future__ import annotations

import types
from dataclasses import asdict, dataclass, field
from typing import Literal

# The sections of an observation, in the order in which they are compared and numbered.
SECTIONS = ("exc", "out", "stdout", "cells", "args", "globals", "observed", "modes")


@dataclass(slots=True, eq=False)
class Node:
    """One value in a snapshot.

    ``kind`` is the value's exact type (``int``, ``list``, ``tensor``, a class's qualified name)
    or ``ref`` for an object that stands earlier in the same observation.  ``text`` is the value
    of a leaf as exact text, empty for containers.  ``number`` is the object's place in the
    order in which the observation met the objects whose identity a program can see, or None.
    ``parts`` are the children, each under the text of the edge to it (``[0]``, ``['k']``,
    ``.attr``).  ``tensor`` holds what only a numeric comparison needs.
    """

    kind: str
    text: str = ""
    number: int | None = None
    parts: tuple[tuple[str, Node], ...] = ()
    tensor: TensorBits | None = None


@dataclass(slots=True, eq=False)
class TensorBits:
    """A dense tensor: metadata, and its elements as contiguous bytes in row-major order.

    ``stride`` and ``offset`` count elements; ``storage`` is the number of its storage within
    the observation, so that two tensors with one number share memory.
    """

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    requires_grad: bool
    storage: int
    offset: int
    data: bytes


@dataclass(slots=True)
class Observation:
    """All that can be compared after one call: a tree of values for each section present."""

    sections: dict[str, Node]


VerdictKind = Literal["hit", "compile", "recompile", "skip", "fallback", "none"]


@dataclass(slots=True)
class Verdict:
    """What the compiler decided of one call of the function under test.

    ``hit``: an entry accepted.  ``compile``: no entry existed.  ``recompile``: every entry
    refused; ``guards`` are the failing ones, as the compiler prints them.  ``skip``: the frame
    was left to CPython.  ``fallback``: the compiler gave up and ran it as eager.
    """

    kind: VerdictKind
    guards: tuple[str, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class CodeMade:
    """A code object that the compiler made during call number ``call``."""

    call: int
    original: types.CodeType
    made: types.CodeType
    resume: bool


@dataclass(slots=True)
class EntryCheck:
    """How one cache entry judged one call, by each way of asking; None where not shown.

    ``printed`` is the conjunction of the guards' own printed conditions, evaluated in plain
    Python over the eager frame's locals; ``failed`` the first condition that was false.
    ``compiled_at`` is the call during which the entry was made, -1 if that is not known.
    ``by_dict`` is the fast check over a dict of the frame's locals, for a compiler whose ``fast``
    reads the frame itself; None for one whose ``fast`` is over such a dict.
    """

    entry: int
    fast: bool | None
    explained: bool | None
    printed: bool | None
    failed: str = ""
    explanation: str = ""
    compiled_at: int = -1
    by_dict: bool | None = None


@dataclass(slots=True)
class Call:
    """One call: the state before it, the observation after it, what the compiler decided.

    ``before`` has no sections where the run was not asked for it.  ``internal_error`` names an
    exception that is the compiler's own failure.  ``own_raise`` says that a ``raise`` statement
    of the program's made the exception, not a function that it called.
    """

    index: int
    before: Observation
    after: Observation
    verdict: Verdict
    checks: list[EntryCheck] = field(default_factory=list)
    internal_error: str = ""
    own_raise: bool = False


@dataclass(slots=True)
class Break:
    """A graph break: during which call, the compiler's reason, the line in the case or 0."""

    call: int
    reason: str
    line: int


@dataclass(slots=True)
class Trace:
    """What a subject did with a case, call by call, and what the compiler made on the way.

    ``limit_hit`` is the reason that a recompile limit was reached; ``calls_raised`` the
    exception with which the case's own ``calls`` ended early; ``observing`` the seconds that
    taking snapshots took.
    """

    subject: str
    calls: list[Call] = field(default_factory=list)
    codes: list[CodeMade] = field(default_factory=list)
    graphs: int = 0
    breaks: list[Break] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    limit_hit: str = ""
    calls_raised: str = ""
    steady: int | None = None
    observing: float = 0.0

    @property
    def vacuous(self) -> bool:
        """Whether nothing was compiled: no code was made, or none with a graph in it.

        Such a run tested nothing.
        """
        return not (self.codes and self.graphs)

    def codes_during(self, call: int) -> list[CodeMade]:
        """The code objects made during one call."""
        return [code for code in self.codes if code.call == call]


@dataclass(slots=True)
class Divergence:
    """One difference: which oracle, which call, where, both sides as short text.

    ``kind`` says what differs in a word or two (``value``, ``type``, ``internal error``,
    ``accepted wrongly``); with ``oracle`` and ``facts`` it makes the signature, so none of
    these may hold an address, a process id, a line number or a counter.  ``others`` says, where
    several compilers were asked, what each of the others did (framefuzz.oracles.attribution).
    """

    oracle: str
    call: int
    path: str
    eager: str
    subject: str
    kind: str
    facts: tuple[str, ...] = ()
    note: str = ""
    signature: str = ""
    others: dict[str, str] = field(default_factory=dict)

    def as_object(self) -> dict[str, object]:
        """A JSON object (docs/json.md); ``others`` only where there are any."""
        members = asdict(self)
        if not self.others:
            del members["others"]
        return members
