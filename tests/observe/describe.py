"""Values made by a program, and what an observer says of them."""

from __future__ import annotations

import textwrap
import types
from typing import Any

from framefuzz.case import CASE_MODULE
from framefuzz.observe.containers import flat_text
from framefuzz.observe.snapshot import Snapshot
from framefuzz.trace import Node


def own(source: str) -> dict[str, Any]:
    """The namespace of a case module with this source: its classes count as the program's."""
    module = types.ModuleType(CASE_MODULE)
    exec(textwrap.dedent(source), module.__dict__)
    return module.__dict__


def node(value: Any, namespace: dict[str, Any] | None = None) -> Node:
    """A value, described by itself."""
    return Snapshot(namespace).node(value)


def text(value: Any, namespace: dict[str, Any] | None = None) -> str:
    """A value as unambiguous text."""
    return flat_text(node(value, namespace))


def edges(described: Node) -> dict[str, Node]:
    """The parts of a node by their edge."""
    return dict(described.parts)
