"""Describing a value by its structure, without running any of the program's own code.

A snapshot looks only at exact types and goes through the slots of builtin types
(``list.__iter__``, ``dict.items``, the ``__dict__`` descriptor), never through ``hasattr``,
``repr``, ``==`` or ``hash``: those would call methods of the program under test, which is a side
effect, and would make the observer part of the observed.

How each kind of value is described stands in its own file: scalars, containers, iterators,
callables, library, instances, tensors.  A new kind goes into the DESCRIBERS table of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framefuzz.observe import (
    callables,
    containers,
    instances,
    iterators,
    library,
    scalars,
    tensors,
)
from framefuzz.trace import Node

Parts = list[tuple[str, Node]]

# Beyond these a snapshot says so in place of the value; far above what a case reaches.
DEPTH_LIMIT = 100
NODE_LIMIT = 20_000
# How deep a member of a set is looked at to find its place among the others.
BRIEF_DEPTH = 3

TOO_DEEP = Node("deeper", "nested too deep")
TOO_MANY = Node("more", f"more than {NODE_LIMIT} values")

Describer = Callable[["Snapshot", Any], "tuple[str, Parts]"]

# All by the identity of the type: a metaclass of the program's can have an __eq__ and a __hash__.
_LEAVES: dict[int, Callable[[Any], str]] = {id(k): leaf for k, leaf in scalars.LEAVES.items()}
_DESCRIBERS: dict[int, Describer] = {
    id(kind): describer
    for module in (containers, iterators, callables, library)
    for kind, describer in module.DESCRIBERS.items()
}
# Values whose identity a program is not promised: CPython shares or copies them at will.
_NOT_NUMBERED = frozenset(map(id, containers.IMMUTABLE | callables.MADE_ON_ACCESS))


class Snapshot:
    """Describes the values of one observation, numbering objects in the order it meets them."""

    def __init__(self, own_globals: dict[str, Any] | None = None) -> None:
        """``own_globals`` is the namespace that is described by itself, not through functions."""
        self.own_globals = own_globals
        self.is_brief = False
        self._numbers: dict[int, int] = {}
        self._storages: dict[int, int] = {}
        # Descriptions make temporary objects (the list in an iterator's __reduce__); one that
        # died would hand its id, and so its number, to another.
        self._alive: list[Any] = []
        self._depth = 0
        self._deepest = DEPTH_LIMIT
        self._count = 0

    def node(self, value: Any) -> Node:
        """The description of a value and of all that it reaches."""
        kind = type(value)
        leaf = _LEAVES.get(id(kind))
        if leaf is not None:
            return Node(kind.__name__, leaf(value))
        numbered = id(kind) not in _NOT_NUMBERED
        if numbered and id(value) in self._numbers:
            return Node("ref", "", self._numbers[id(value)])
        if self._depth >= self._deepest:
            return TOO_DEEP
        self._count += 1
        if self._count > NODE_LIMIT:
            return TOO_MANY
        number = self._enter(value) if numbered else None
        self._depth += 1
        try:
            return self._describe(kind, value, number)
        finally:
            self._depth -= 1

    def namespace(self, names: dict[str, Any]) -> Node:
        """The globals of a module of the program's own, without Python's and compilers' names."""
        if id(names) in self._numbers:
            return Node("ref", "", self._numbers[id(names)])
        number = self._enter(names)
        own = [
            (name, value)
            for name, value in names.items()
            if type(name) is not str or not name.startswith(containers.COMPILER_GLOBALS)
        ]
        return Node("globals", "", number, tuple(containers.attributes(self, own)))

    def _enter(self, value: Any) -> int:
        self._alive.append(value)
        return self._numbers.setdefault(id(value), len(self._numbers))

    def brief(self, value: Any) -> Node:
        """A description by itself, numbered from nothing and BRIEF_DEPTH deep at most.

        It does not depend on what was met before, so it can tell the members of a set apart.
        """
        alone = Snapshot(self.own_globals)
        # In a set within a set what is left of the depth, so that it ends even where the
        # members of the one lead back to the other.
        alone._deepest = self._deepest - self._depth if self.is_brief else BRIEF_DEPTH
        alone.is_brief = True
        return alone.node(value)

    def storage_number(self, address: int) -> int:
        """The number of a tensor storage: two tensors with one number share memory."""
        return self._storages.setdefault(address, len(self._storages))

    def _describe(self, kind: type, value: Any, number: int | None) -> Node:
        describer = _DESCRIBERS.get(id(kind))
        if describer is not None:
            text, parts = describer(self, value)
            return Node(kind.__name__, text, number, tuple(parts))
        if tensors.is_tensor(kind):
            name, text, parts, bits = tensors.describe(self, value)
            return Node(name, text, number, tuple(parts), bits)
        name, text, parts = instances.describe(self, kind, value)
        return Node(name, text, number, tuple(parts))
