"""Side effects of a trace, in program order, to be done by the code that is made.

Each is what the program itself would have done to the real object: an append stays an append.  Of
what nothing can see in between (an attribute or global written twice) only the last is kept, in
the place of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from framejit.faults import planted
from framejit.values import Cell, Const, Instance, List, Mutable, Value


@dataclass(eq=False)
class Effect:
    """One change: ``kind`` says which instructions make it.

    ``call``: a method of a builtin class on the target with the values; ``setitem``, ``delitem``;
    ``setattr``, ``delattr`` of ``name``; ``setglobal``, ``delglobal`` of ``name``, where
    ``globals`` are not the root frame's; ``cell``: the target's content at the end.
    """

    kind: str
    target: Value | None
    values: list[Value]
    method: Any = None
    name: str = ""
    globals: dict[str, Any] | None = None


class Effects:
    """All of a trace's."""

    def __init__(self, changing: Callable[[], None] = lambda: None) -> None:
        """``changing`` is called when an object from outside is changed."""
        self._changing = changing
        self.done: list[Effect] = []
        self._globals: dict[tuple[int, str], Effect] = {}
        self._attributes: dict[tuple[int, str], Effect] = {}
        self._cells: set[int] = set()

    def __len__(self) -> int:
        return len(self.done)

    def call(self, target: Mutable, method: Any, values: list[Value]) -> None:
        """A method of a builtin class, called on an object from outside."""
        if planted("append lost") and method is list.append:
            return
        if target.origin is not None:
            self._changing()
            self.done.append(Effect("call", target, values, method))

    def set_item(self, target: Mutable, key: Value, value: Value) -> None:
        """``target[key] = value``."""
        if target.origin is not None:
            self._changing()
            self.done.append(Effect("setitem", target, [key, value]))

    def delete_item(self, target: Mutable, key: Value) -> None:
        """``del target[key]``."""
        if target.origin is not None:
            self._changing()
            self.done.append(Effect("delitem", target, [key]))

    def set_attribute(self, target: Instance, name: str, value: Value | None) -> None:
        """An attribute of an instance, None deletes it."""
        if target.attributes.get(name, target) is None:
            # What was deleted comes back as the last.
            del target.attributes[name]
        target.attributes[name] = value
        if target.origin is None:
            return
        self._changing()
        before = self._attributes.get((id(target), name))
        if before is not None and before.kind == "setattr" and value is not None:
            if not planted("first value of an attribute kept"):
                before.values = [value]
            return
        effect = Effect("delattr" if value is None else "setattr", target, [], name=name)
        effect.values = [] if value is None else [value]
        self.done.append(effect)
        self._attributes[id(target), name] = effect

    def set_global(
        self, name: str, value: Value | None, globals_: dict[str, Any], is_root: bool
    ) -> None:
        """A global, None deletes it."""
        before = self._globals.get((id(globals_), name))
        if before is not None and before.kind == "setglobal" and value is not None:
            before.values = [value]
            return
        kind = "delglobal" if value is None else "setglobal"
        effect = Effect(kind, None, [] if value is None else [value], name=name)
        effect.globals = None if is_root else globals_
        self.done.append(effect)
        self._globals[id(globals_), name] = effect

    def global_written(self, name: str, globals_: dict[str, Any]) -> Effect | None:
        """What the trace has done to a global last, None if nothing."""
        return self._globals.get((id(globals_), name))

    def set_cell(self, cell: Cell, value: Value | None) -> None:
        """A cell's content, None for none."""
        cell.content = value
        if (cell.name is not None or cell.holder is not None) and id(cell) not in self._cells:
            self._changing()
            self._cells.add(id(cell))
            self.done.append(Effect("cell", cell, []))

    def appended(self, target: List) -> list[Value]:
        """What was appended to a list that had not been looked into."""
        return [e.values[0] for e in self.done if e.target is target and e.method is list.append]


def key_of(key: Any) -> Const:
    """A constant key as a value."""
    return Const(key)
