"""Makes, in bytecode, the objects that symbolic values stand for.

What was there before the frame began is loaded from where it was; tensors and unknown numbers come
out of the graph; the rest is built.  Objects that may refer to each other in a circle (cells,
instances) are made empty first and filled afterwards.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from bytecode import Instr, Label
from bytecode.instr import CellVar, FreeVar, TryBegin, TryEnd

from framejit.effects import Effect
from framejit.faults import planted
from framejit.stops import Unmakeable
from framejit.values import (
    BuiltinMethod,
    Cell,
    Const,
    Dict,
    Function,
    Generator,
    GradMode,
    Instance,
    Iterator,
    Known,
    List,
    Method,
    Null,
    Number,
    Previous,
    Set,
    Slice,
    Tensor,
    Tuple,
    Value,
)

Emitted = Instr | Label | TryBegin | TryEnd


class Maker:
    """Emits instructions that make values, each object once."""

    def __init__(self, freevars: tuple[str, ...]) -> None:
        self.out: list[Emitted] = []
        self.temporaries: list[str] = []
        self._freevars = freevars
        self._kept: dict[int, str] = {}
        self._making: set[int] = set()
        self._to_fill: list[Value] = []
        self._values: list[Value] = []

    # What is needed

    def gather(self, roots: list[Value]) -> tuple[list[Tensor | Number], list[Value]]:
        """What making these values needs: outputs of the graph, and what comes from outside."""
        outputs: list[Tensor | Number] = []
        outside: list[Value] = []
        seen: set[int] = set()
        todo = list(reversed(roots))
        while todo:
            value = todo.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            self._values.append(value)
            if isinstance(value, Null):
                continue
            if isinstance(value, Cell):
                if value.holder is not None:
                    outside.append(value)
                if value.holder is None and value.name is None and value.content is not None:
                    todo.append(value.content)
            elif value.origin is not None:
                outside.append(value)
            elif isinstance(value, (Const, Known)):
                continue
            elif isinstance(value, (Tensor, Number)):
                outputs.append(value)
            else:
                todo.extend(reversed(parts(value)))
        return outputs, outside

    # Emitting

    def emit(self, name: str, *argument: Any) -> None:
        """Emit one instruction."""
        self.out.append(Instr(name, *argument))

    def call(self, count: int) -> None:
        """Call what is below so many arguments, and below a NULL."""
        self.emit("PRECALL", count)
        self.emit("CALL", count)

    def function(self, function: Any) -> None:
        """Load a function to be called."""
        self.emit("PUSH_NULL")
        self.emit("LOAD_CONST", function)

    def keep(self, value: Value) -> None:
        """Store what is on top as a value's object, to be loaded from now on."""
        name = f"___{len(self.temporaries)}"
        self.temporaries.append(name)
        self._kept[id(value)] = name
        self.emit("STORE_FAST", name)

    def load_outside(self, value: Value) -> None:
        """Fetch something from outside, before anything changes where it is."""
        origin = value.holder if isinstance(value, Cell) else value.origin
        assert origin is not None
        if origin.load[0].name == "LOAD_FAST" and origin.base is None:
            return
        self.load_origin(origin)
        self.keep(value)

    def load_origin(self, origin: Any) -> None:
        """Load what is found there."""
        if origin.base is not None:
            self.load_origin(origin.base)
        self.out.extend(origin.load)

    def load(self, value: Value) -> None:
        """Push the object that a value stands for."""
        if planted("mutated list copied") and isinstance(value, List) and value.items is not None:
            self._list(value)
            return
        self._load(value)
        while self._to_fill:
            self._fill(self._to_fill.pop(0))

    def _load(self, value: Value) -> None:
        if isinstance(value, Null):
            self.emit("PUSH_NULL")
        elif id(value) in self._kept:
            self.emit("LOAD_FAST", self._kept[id(value)])
        elif isinstance(value, Cell) and value.name is not None:
            is_free = value.name in self._freevars
            variable = FreeVar(value.name) if is_free else CellVar(value.name)
            self.emit("LOAD_CLOSURE", variable)
        elif value.origin is not None:
            self.load_origin(value.origin)
        elif isinstance(value, Const):
            self.emit("LOAD_CONST", value.value)
        elif isinstance(value, Known):
            self.emit("LOAD_CONST", value.real)
        else:
            self._make(value)

    def _make(self, value: Value) -> None:
        maker = _MAKERS.get(type(value))
        if maker is None or id(value) in self._making:
            raise Unmakeable(value, f"{type(value).__name__.lower().rstrip('_')} cannot be made")
        self._making.add(id(value))
        maker(self, value)
        self._making.discard(id(value))
        self.keep(value)
        self.emit("LOAD_FAST", self._kept[id(value)])

    def _fill(self, value: Value) -> None:
        if isinstance(value, Cell):
            if value.content is not None:
                self.load(value.content)
                self._load(value)
                self.emit("STORE_ATTR", "cell_contents")
            return
        assert isinstance(value, Instance)
        for name, content in value.attributes.items():
            if content is not None:
                self.function(object.__setattr__)
                self._load(value)
                self.emit("LOAD_CONST", name)
                self.load(content)
                self.call(3)
                self.emit("POP_TOP")

    # Kinds of values

    def _items(self, items: list[Value]) -> None:
        for item in items:
            self._load(item)

    def _tuple(self, value: Tuple) -> None:
        if value.cls is tuple:
            self._items(value.items)
            self.emit("BUILD_TUPLE", len(value.items))
            return
        is_named = hasattr(value.cls, "_make")
        self.function(tuple.__new__ if is_named else value.cls)
        if is_named:
            self.emit("LOAD_CONST", value.cls)
        self._items(value.items)
        self.emit("BUILD_TUPLE", len(value.items))
        self.call(2 if is_named else 1)

    def _list(self, value: List) -> None:
        if value.cls is not list:
            self.function(value.cls)
        self._items(value.items or [])
        self.emit("BUILD_LIST", len(value.items or ()))
        if value.cls is not list:
            self.emit("LOAD_CONST", None if planted("maxlen lost") else value.maxlen)
            self.call(2)

    def _dict(self, value: Dict) -> None:
        if value.cls is not dict:
            self.function(value.cls)
        for key, item in (value.items or {}).items():
            self.emit("LOAD_CONST", key)
            self._load(item)
        self.emit("BUILD_MAP", len(value.items or ()))
        if value.cls is not dict:
            self.call(1)

    def _set(self, value: Set) -> None:
        if value.cls is frozenset:
            self.emit("LOAD_CONST", frozenset(value.items or ()))
            return
        for item in value.items or ():
            self.emit("LOAD_CONST", item)
        self.emit("BUILD_SET", len(value.items or ()))

    def _slice(self, value: Slice) -> None:
        self._items(value.parts)
        self.emit("BUILD_SLICE", len(value.parts))

    def _instance(self, value: Instance) -> None:
        self.function(object.__new__)
        self.emit("LOAD_CONST", value.cls)
        self.call(1)
        self._to_fill.append(value)

    def _cell(self, value: Cell) -> None:
        self.function(types.CellType)
        self.call(0)
        self._to_fill.append(value)

    def _function(self, value: Function) -> None:
        if value.globals_origin is not None:
            raise Unmakeable(value, "function of another module")
        flags = 0
        if value.defaults:
            self._items(value.defaults)
            self.emit("BUILD_TUPLE", len(value.defaults))
            flags |= 1
        if value.kwdefaults and not planted("keyword defaults lost"):
            self._dict(Dict(dict(value.kwdefaults)))
            flags |= 2
        if value.annotations is not None:
            self._load(value.annotations)
            flags |= 4
        if value.cells:
            for cell in value.cells:
                if planted("closure cells copied") and cell.content is not None:
                    self.function(types.CellType)
                    self._load(cell.content)
                    self.call(1)
                    continue
                self._load(cell)
            self.emit("BUILD_TUPLE", len(value.cells))
            flags |= 8
        self.emit("LOAD_CONST", value.code)
        self.emit("MAKE_FUNCTION", flags)

    def _method(self, value: Method) -> None:
        self.function(types.MethodType)
        self._load(value.function)
        self._load(value.instance)
        self.call(2)
        if planted("method loses its instance"):
            self.emit("LOAD_ATTR", "__func__")

    def _builtin_method(self, value: BuiltinMethod) -> None:
        self._load(value.owner)
        self.emit("LOAD_ATTR", value.name)

    def _grad_mode(self, value: GradMode) -> None:
        self.function(value.cls)
        self.call(0)
        if value.previous is not None and not planted("previous grad mode lost"):
            self.emit("LOAD_CONST", value.previous)
            self.emit("COPY", 2)
            self.emit("STORE_ATTR", "prev")

    def _generator(self, value: Generator) -> None:
        frame = value.frame
        code = frame.decoded.code
        if frame.place or code.co_kwonlyargcount or code.co_flags & 0x0C:
            raise Unmakeable(value, "generator that has begun")
        self.emit("PUSH_NULL")
        self._load(frame.function)
        names = code.co_varnames[: code.co_argcount]
        self._items([frame.locals[name] for name in names])
        self.call(len(names))

    def _iterator(self, value: Iterator) -> None:
        if value.kind == "sequence":
            self._sequence_iterator(value)
        elif value.kind == "range":
            self.emit("LOAD_CONST", value.over[0].value)
            self.emit("GET_ITER")
            self._set_state(value.index)
        elif value.kind in ("zip", "map", "enumerate", "filter"):
            self.function({"zip": zip, "map": map, "enumerate": enumerate}.get(value.kind, filter))
            inner = value.over[:1] if value.kind == "enumerate" else value.over
            if value.function is not None:
                inner = [value.function, *inner]
            self._items(inner)
            if value.kind == "enumerate":
                made = 0 if planted("enumerate counts anew") else value.index
                self.emit("LOAD_CONST", value.over[1] + made)
                self.call(2)
            else:
                self.call(len(inner))
        else:
            self._listed_iterator(value)

    def _sequence_iterator(self, value: Iterator) -> None:
        over = value.over[0]
        if value.index < 0:
            self.emit("BUILD_LIST", 0)
            self.emit("GET_ITER")
            return
        is_changed = isinstance(over, List) and (
            (value.removals, value.length) != (over.removals, len(over.items or ()))
        )
        if over.cls not in (list, tuple) and (value.index or is_changed):
            raise Unmakeable(value, f"iterator of a {over.cls.__name__}")
        self._load(over)
        self.emit("GET_ITER")
        self._set_state(value.index)

    def _set_state(self, index: int) -> None:
        if index:
            self.emit("COPY", 1)
            self.emit("LOAD_METHOD", "__setstate__")
            self.emit("LOAD_CONST", index + planted("iterator one step ahead"))
            self.call(1)
            self.emit("POP_TOP")

    def _listed_iterator(self, value: Iterator) -> None:
        over, listed, *view = value.over
        if isinstance(over, Dict) and value.kind != "view":
            is_other = list(over.items or ()) != [key.value for key in listed]
            if is_other or value.removals != over.removals:
                raise Unmakeable(value, "iterator of a dict whose keys have changed")
        if value.kind == "reversed":
            self.function(reversed)
            self._load(over)
            self.call(1)
        else:
            self._load(over)
        if isinstance(over, Dict) and (view or value.kind == "view"):
            self.emit("LOAD_METHOD", view[0] if view else "keys")
            self.call(0)
        if value.kind == "view":
            return
        self.emit("GET_ITER")
        for _ in range(value.index):
            self.emit("COPY", 1)
            self.emit("LOAD_METHOD", "__next__")
            self.call(0)
            self.emit("POP_TOP")

    # Effects

    def effect(self, effect: Effect) -> None:
        """Do what the program did to an object from outside."""
        if effect.kind == "cell":
            self._cell_effect(effect.target)
        elif effect.kind in ("setglobal", "delglobal"):
            self._global_effect(effect)
        elif effect.kind == "call":
            self.function(effect.method)
            assert effect.target is not None
            self._load(effect.target)
            for value in effect.values:
                self.load(value)
            self.call(1 + len(effect.values))
            self.emit("POP_TOP")
        elif effect.kind == "setitem":
            key, value = effect.values
            self.load(value)
            assert effect.target is not None
            self._load(effect.target)
            self.load(key)
            self.emit("STORE_SUBSCR")
        elif effect.kind == "delitem":
            assert effect.target is not None
            self._load(effect.target)
            self.load(effect.values[0])
            self.emit("DELETE_SUBSCR")
        elif effect.kind == "setattr":
            self.load(effect.values[0])
            assert effect.target is not None
            self._load(effect.target)
            self.emit("STORE_ATTR", effect.name)
        else:
            assert effect.target is not None
            self._load(effect.target)
            self.emit("DELETE_ATTR", effect.name)

    def _cell_effect(self, cell: Any) -> None:
        if cell.name is not None:
            is_free = cell.name in self._freevars
            variable = FreeVar(cell.name) if is_free else CellVar(cell.name)
            if cell.content is None and planted("emptied cell holds None"):
                self.emit("LOAD_CONST", None)
                self.emit("STORE_DEREF", variable)
            elif cell.content is None:
                if cell.was_bound:
                    self.emit("DELETE_DEREF", variable)
            else:
                self.load(cell.content)
                self.emit("STORE_DEREF", variable)
        elif cell.content is None:
            if cell.was_bound:
                self._load(cell)
                self.emit("DELETE_ATTR", "cell_contents")
        else:
            self.load(cell.content)
            self._load(cell)
            self.emit("STORE_ATTR", "cell_contents")

    def _global_effect(self, effect: Effect) -> None:
        if effect.globals is None:
            if effect.values:
                self.load(effect.values[0])
                self.emit("STORE_GLOBAL", effect.name)
            else:
                self.emit("DELETE_GLOBAL", effect.name)
            return
        if effect.values:
            self.load(effect.values[0])
        self.emit("LOAD_CONST", effect.globals)
        self.emit("LOAD_CONST", effect.name)
        self.emit("STORE_SUBSCR" if effect.values else "DELETE_SUBSCR")


def parts(value: Value) -> list[Value]:
    """The values that an object made here refers to."""
    if isinstance(value, (Tuple, List)):
        return list(value.items or ())
    if isinstance(value, Dict):
        return list((value.items or {}).values())
    if isinstance(value, Slice):
        return value.parts
    if isinstance(value, Instance):
        return [content for content in value.attributes.values() if content is not None]
    if isinstance(value, Function):
        annotations = [] if value.annotations is None else [value.annotations]
        return [*value.defaults, *value.kwdefaults.values(), *value.cells, *annotations]
    if isinstance(value, Method):
        return [value.function, value.instance]
    if isinstance(value, BuiltinMethod):
        return [value.owner]
    if isinstance(value, Generator):
        return [value.frame.function, *value.frame.locals.values()]
    if isinstance(value, Previous):
        return [value.exception]
    if isinstance(value, Iterator):
        inner = [part for part in value.over if isinstance(part, Value)]
        return [*inner, value.function] if value.function is not None else inner
    return []


_MAKERS: dict[type, Callable[[Maker, Any], None]] = {
    Tuple: Maker._tuple,
    List: Maker._list,
    Dict: Maker._dict,
    Set: Maker._set,
    Slice: Maker._slice,
    Instance: Maker._instance,
    Cell: Maker._cell,
    Function: Maker._function,
    Method: Maker._method,
    BuiltinMethod: Maker._builtin_method,
    GradMode: Maker._grad_mode,
    Generator: Maker._generator,
    Iterator: Maker._iterator,
}
