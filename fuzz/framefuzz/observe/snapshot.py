"""Describing a value by its structure, without running any of the program's own code.

A snapshot looks only at exact types and goes through the slots of builtin types
(``list.__iter__``, ``dict.items``, the ``__dict__`` descriptor), never through ``hasattr``,
``repr``, ``==`` or ``hash``: those would call methods of the program under test, which is a side
effect, and would make the observer part of the observed.

How each kind of value is described stands in its own file: scalars, containers, iterators,
callables, instances, tensors.  A new kind goes into the DESCRIBERS table of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framefuzz.observe import callables, containers, instances, iterators, scalars, tensors
from framefuzz.trace import Node

Parts = list[tuple[str, Node]]

# Beyond these a snapshot says so in place of the value; far above what a case reaches.
DEPTH_LIMIT = 40
NODE_LIMIT = 20_000

_TOO_DEEP = Node("deeper", f"nested more than {DEPTH_LIMIT} deep")
_TOO_MANY = Node("more", f"more than {NODE_LIMIT} values")

Describer = Callable[["Snapshot", Any], "tuple[str, Parts]"]

_LEAVES: dict[type, Callable[[Any], str]] = scalars.LEAVES
_DESCRIBERS: dict[type, Describer] = {
    **containers.DESCRIBERS,
    **iterators.DESCRIBERS,
    **callables.DESCRIBERS,
}
# Values whose identity a program is not promised: CPython shares or copies them at will.
_NOT_NUMBERED = containers.IMMUTABLE | callables.MADE_ON_ACCESS


class Snapshot:
    """Describes the values of one observation, numbering objects in the order it meets them."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._storages: dict[int, int] = {}
        # Descriptions make temporary objects (the list in an iterator's __reduce__); one that
        # died would hand its id, and so its number, to another.
        self._alive: list[Any] = []
        self._depth = 0
        self._count = 0

    def node(self, value: Any) -> Node:
        """The description of a value and of all that it reaches."""
        kind = type(value)
        leaf = _LEAVES.get(kind)
        if leaf is not None:
            return Node(kind.__name__, leaf(value))
        number = None
        if kind not in _NOT_NUMBERED:
            number = self._numbers.get(id(value))
            if number is not None:
                return Node("ref", "", number)
            number = self._numbers[id(value)] = len(self._numbers)
            self._alive.append(value)
        self._count += 1
        if self._depth >= DEPTH_LIMIT:
            return _TOO_DEEP
        if self._count > NODE_LIMIT:
            return _TOO_MANY
        self._depth += 1
        try:
            return self._describe(kind, value, number)
        finally:
            self._depth -= 1

    def storage_number(self, address: int) -> int:
        """The number of a tensor storage: two tensors with one number share memory."""
        return self._storages.setdefault(address, len(self._storages))

    def _describe(self, kind: type, value: Any, number: int | None) -> Node:
        describer = _DESCRIBERS.get(kind)
        if describer is not None:
            text, parts = describer(self, value)
            return Node(kind.__name__, text, number, tuple(parts))
        if tensors.is_tensor(kind):
            name, text, parts, bits = tensors.describe(self, value)
            return Node(name, text, number, tuple(parts), bits)
        name, text, parts = instances.describe(self, kind, value)
        return Node(name, text, number, tuple(parts))
