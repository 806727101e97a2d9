"""Where a value that was there before the frame began can be found again.

An origin is used twice: by guards, which read it in C++ before the frame runs
(framejit._native.Source), and by the code that is made, which loads it in bytecode.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from bytecode import Instr
from bytecode.instr import CellVar, FreeVar

from framejit._native import Source
from framejit.faults import planted

_CALL_ONE = (Instr("PRECALL", 1), Instr("CALL", 1))


@dataclass(frozen=True, eq=False)
class Origin:
    """A way to a value from the frame's variables.

    ``base`` is the origin that the last step starts from, None at a variable of the frame;
    ``load`` is what that step does to the value on top of the stack; ``may_vanish`` says that the
    next time nothing might be there, whatever else was guarded.
    """

    source: Source
    base: Origin | None
    load: tuple[Instr, ...]
    name: str | None = None
    may_vanish: bool = False

    @functools.cached_property
    def text(self) -> str:
        """As a Python expression."""
        return self.source.text

    def attribute(self, name: str) -> Origin:
        """``getattr(this, name)``."""
        load = (Instr("LOAD_ATTR", name),)
        return Origin(self.source.attribute(name), self, load, may_vanish=True)

    def item(self, key: object) -> Origin:
        """``this[key]``."""
        load = (Instr("LOAD_CONST", key), Instr("BINARY_SUBSCR"))
        return Origin(self.source.item(key), self, load)

    def instance_attribute(self, name: str) -> Origin:
        """An entry of the object's own dict."""
        source = self.source.instance_dict().item(name)
        return Origin(source, self, (Instr("LOAD_ATTR", name),), may_vanish=True)

    def closure(self, index: int) -> Origin:
        """The content of a cell of a function's closure."""
        load = (*_cell_of(index), Instr("LOAD_ATTR", "cell_contents"))
        if planted("cell not unboxed"):
            return Origin(self.closure_cell(index).source, self, load)
        return Origin(self.source.closure(index), self, load, may_vanish=True)

    def closure_cell(self, index: int) -> Origin:
        """A cell of a function's closure itself."""
        return Origin(self.source.attribute("__closure__").item(index), self, _cell_of(index))

    def default(self, index: int) -> Origin:
        """One of a function's defaults."""
        load = (Instr("LOAD_ATTR", "__defaults__"), *_index(index))
        return Origin(self.source.default(index), self, load)

    def keyword_default(self, name: str) -> Origin:
        """One of a function's defaults for keyword-only parameters."""
        load = (Instr("LOAD_ATTR", "__kwdefaults__"), *_index(name))
        return Origin(self.source.keyword_default(name), self, load)

    def type(self) -> Origin:
        """``type(this)``."""
        load = (Instr("LOAD_ATTR", "__class__"),)
        return Origin(self.source.type(), self, load)


def _index(key: object) -> tuple[Instr, Instr]:
    return Instr("LOAD_CONST", key), Instr("BINARY_SUBSCR")


def _cell_of(index: int) -> tuple[Instr, ...]:
    return Instr("LOAD_ATTR", "__closure__"), *_index(index)


def local(name: str) -> Origin:
    """A local variable that is no cell."""
    return Origin(Source.local(name), None, (Instr("LOAD_FAST", name),), name)


def cell(name: str) -> Origin:
    """The content of a cell that is an argument."""
    return Origin(Source.cell(name), None, (Instr("LOAD_DEREF", CellVar(name)),), name)


def free(name: str) -> Origin:
    """The content of a free variable."""
    load = (Instr("LOAD_DEREF", FreeVar(name)),)
    return Origin(Source.free(name), None, load, name, may_vanish=True)


def global_(name: str) -> Origin:
    """A global of the frame's function."""
    load = (Instr("LOAD_GLOBAL", (False, name)),)
    return Origin(Source.global_(name), None, load, name, may_vanish=True)


def builtin(name: str) -> Origin:
    """A builtin of the frame's function, not hidden by a global."""
    load = (Instr("LOAD_GLOBAL", (False, name)),)
    return Origin(Source.builtin(name), None, load, name, may_vanish=True)
