"""The place of a value in an observation, as text: a section, then one edge after the other.

``cells(count)[0]['k'].x`` is the attribute ``x`` of what the key ``'k'`` leads to in the first
item of what the cell ``count`` of the function under test holds (framefuzz.observe writes them).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

EdgeKind = Literal["attribute", "item", "cell", "referent", "other"]

_EDGES: tuple[tuple[EdgeKind, str], ...] = (
    ("attribute", r"\.(?P<attribute>\w+)"),
    ("item", r"\[(?P<item>(?:b?'(?:\\.|[^'\\])*'|b?\"(?:\\.|[^\"\\])*\"|[^\]'\"])*)\]"),
    ("cell", r"\((?P<cell>\w+)\)"),
    ("referent", r"(?P<referent>)\(\)"),
    ("other", r"(?P<other>\{\d+\}|(?:key|value|state) \d+)"),
)
_EDGE = re.compile("|".join(pattern for _, pattern in _EDGES))
_SECTION = re.compile(r"\w*")


@dataclass(frozen=True, slots=True)
class Edge:
    """A step from a value to a part of it.

    ``text`` is the attribute's name, the item's index or key as Python text, the free variable's
    name; of an ``other`` (a member of a set, a key that is no plain value, a part of an
    iterator's state) the edge as written.
    """

    kind: EdgeKind
    text: str


def parse(path: str) -> tuple[str, list[Edge]]:
    """The section and the edges of a path; a path that is none is a section without edges."""
    head = _SECTION.match(path)
    section = head.group() if head else ""
    edges = []
    position = len(section)
    while position < len(path):
        match = _EDGE.match(path, position)
        if match is None:
            return path, []
        kind: EdgeKind = match.lastgroup  # type: ignore[assignment]
        edges.append(Edge(kind, match.group(kind)))
        position = match.end()
    return section, edges
