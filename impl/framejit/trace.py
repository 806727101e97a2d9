"""The state of one trace: what was captured, assumed and changed, and what stands for what."""

from __future__ import annotations

import collections
import types
import weakref
from collections.abc import Callable
from typing import Any

import torch

from framejit import origins
from framejit.effects import Effects
from framejit.faults import planted
from framejit.graph import Recorder, size_text
from framejit.guards import EQUAL_BY_VALUE, Guards
from framejit.origins import Origin
from framejit.stops import Break, MadeStatic, Skip
from framejit.values import (
    BuiltinMethod,
    Cell,
    Const,
    Container,
    Dict,
    Function,
    Generator,
    Instance,
    Known,
    Lazy,
    List,
    Method,
    Number,
    Opaque,
    Set,
    Tuple,
    Value,
    is_named_tuple,
)

TENSORS = (torch.Tensor, torch.nn.Parameter)
_SINGLE = (torch.dtype, torch.layout, torch.memory_format)
# Of bound methods of these the method and what it is bound to are told apart.
_OWNERS = (list, dict, set, collections.deque, collections.OrderedDict)
_C_FUNCTIONS = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)
# Modules of torch.nn whose forward is stepped through; others are captured as a whole.
INLINED_MODULES = frozenset(
    getattr(torch.nn, name)
    for name in (
        "Linear ReLU GELU Sigmoid Tanh LayerNorm Embedding Identity Softmax SiLU ELU "
        "LeakyReLU Conv1d Conv2d Flatten MaxPool2d AvgPool2d Dropout"
    ).split()
)
# In place of a number: it has been seen to vary.
VARIES: Any = object()
_KEYS = (str, int, float, bool, type(None), bytes)


def check_no_finalizer(cls: type) -> None:
    """Raise Skip if a class has a finalizer in Python: what dies, and when, is not traced."""
    if isinstance(getattr(cls, "__del__", None), types.FunctionType):
        raise Skip(f"{cls.__name__} has a finalizer: it would see what is kept alive")


class Trace:
    """What one trace of a frame has found out.

    ``before`` has the ints and floats that earlier traces of the code took by value, by the text
    of their origin: one that has changed is not taken by value again, unless it is in ``static``.
    """

    def __init__(
        self, globals_: dict[str, Any], before: dict[str, Any], static: frozenset[str]
    ) -> None:
        self.recorder = Recorder()
        self.guards = Guards()
        self.effects = Effects(self.guards.telling_apart)
        self.globals = globals_
        self._before = before
        self._static = static
        self.visits = 0
        self.version = 0
        # Classes, with the special method that they are guarded to have from object.
        self.as_object_does: set[tuple[type, str]] = set()
        # Generators that may see when the last reference to them goes.
        self.closing: list[Generator] = []
        self.numbers: dict[str, Any] = {}
        self.class_origins: dict[type, Origin] = {}
        self._known: dict[int, Value] = {}
        self._cells: dict[int, Cell] = {}
        self._kept: list[Any] = []

    # What stands for what

    def found(self, real: Any, origin: Origin) -> Value:
        """An object from outside, not looked at yet."""
        known = self._known.get(id(real))
        if known is not None and known.origin is not None and known.origin.text == origin.text:
            return known
        if origin.may_vanish:
            self.guards.will_be_there(origin)
        return Lazy(origin, real)

    def look(self, value: Value) -> Value:
        """What a value is, guarding what was looked at if it is from outside."""
        if type(value) is not Lazy:
            return value
        real, origin = value.real, value.origin
        assert origin is not None
        known = self._known.get(id(real))
        if known is not None:
            assert known.origin is not None
            if known.origin.text != origin.text and not planted(
                "one object under two names unguarded"
            ):
                self.guards.same(known.origin, origin)
            return known
        looked = self._look(real, origin)
        if looked.real is None:
            looked.real = real
        if not isinstance(looked, (Const, Known, Number)):
            self._known[id(real)] = looked
            self._kept.append(real)
        return looked

    def _look(self, real: Any, origin: Origin) -> Value:
        cls = type(real)
        if cls in (int, float):
            self.numbers[origin.text] = real
            if self._varies(real, origin.text):
                self.guards.type(origin, cls)
                return self.recorder.number_input(real, origin)
        if cls in EQUAL_BY_VALUE or cls is torch.device:
            if not _is_left_unguarded(origin):
                self.guards.equals(origin, real)
            return Const(real, origin)
        if cls in TENSORS:
            tensor = self.recorder.tensor_input(real, origin)
            tensor.varying = self._varying_sizes(real, origin)
            tensor.sizes = frozenset(size_text(origin, place) for place in tensor.varying)
            self.guards.tensor(origin, real, tensor.varying)
            return tensor
        if cls is types.BuiltinFunctionType and type(real.__self__) in _OWNERS:
            self.guards.type(origin, cls)
            self.guards.equals(origin.attribute("__name__"), real.__name__)
            owner = self.found(real.__self__, origin.attribute("__self__"))
            return BuiltinMethod(owner, real.__name__, origin)
        if cls is types.BuiltinFunctionType and not _is_free(real):
            # Made anew at each look, and a guard of it would keep alive what it is bound to.
            return self._opaque(real, origin)
        looker = _LOOKERS.get(cls)
        if looker is not None:
            return looker(self, real, origin)
        if issubclass(cls, (type, *_SINGLE, *_C_FUNCTIONS)) or is_pinned(real):
            self.guards.identity(origin, real)
            return Known(origin, real)
        if is_named_tuple(cls) or cls is torch.Size:
            return self._look_at_tuple(real, origin)
        if issubclass(cls, torch.nn.Module) and cls.__module__.startswith("torch.nn.modules"):
            if cls in INLINED_MODULES:
                self.guards.type(origin, cls)
                return Instance(cls, origin, real)
            self.guards.identity(origin, real)
            return Known(origin, real)
        if issubclass(cls, weakref.ref):
            raise Skip("weak reference: it would see what is kept alive")
        if is_plain_instance(cls):
            check_no_finalizer(cls)
            if not planted("class of an instance unguarded"):
                self.guards.type(origin, cls)
            self.guards.apart(origin)
            return Instance(cls, origin, real)
        return self._opaque(real, origin)

    def _opaque(self, real: Any, origin: Origin) -> Value:
        self.guards.type(origin, type(real))
        return Opaque(origin, real)

    def _varies(self, real: Any, text: str) -> bool:
        if text in self._static or text not in self._before or planted("numbers never symbolic"):
            return False
        before = self._before[text]
        return before is VARIES or type(before) is not type(real) or before != real

    def _varying_sizes(self, real: torch.Tensor, origin: Origin) -> frozenset[int]:
        """The dimensions whose size has been seen to vary; of contiguous tensors only."""
        varying = set()
        for place, size in enumerate(real.shape):
            text = size_text(origin, place)
            self.numbers[text] = size
            if self._varies(size, text):
                varying.add(place)
        return frozenset(varying if varying and real.is_contiguous() else ())

    def _look_at_tuple(self, real: Any, origin: Origin) -> Value:
        self.guards.type(origin, type(real))
        self.guards.length(origin, len(real))
        items = [self.found(item, origin.item(place)) for place, item in enumerate(real)]
        return Tuple(items, type(real), origin, real)

    def _look_at_list(self, real: Any, origin: Origin) -> Value:
        self.guards.type(origin, type(real))
        self.guards.apart(origin)
        if isinstance(real, collections.deque):
            self.guards.equals(origin.attribute("maxlen"), real.maxlen)
        return List(None, type(real), origin, real, getattr(real, "maxlen", None))

    def _look_at_dict(self, real: Any, origin: Origin) -> Value:
        if "__name__" in real or "__builtins__" in real:
            # A module's globals: what is stored there is read by name.
            return self._opaque(real, origin)
        self.guards.type(origin, type(real))
        self.guards.apart(origin)
        return Dict(None, type(real), origin, real)

    def _look_at_set(self, real: Any, origin: Origin) -> Value:
        self.guards.type(origin, type(real))
        self.guards.apart(origin)
        return Set(None, type(real), origin, real)

    def _look_at_module(self, real: Any, origin: Origin) -> Value:
        if real.__name__ in ("weakref", "gc"):
            raise Skip(f"uses {real.__name__}: it would see what is kept alive")
        self.guards.identity(origin, real)
        return Known(origin, real)

    def _look_at_method(self, real: Any, origin: Origin) -> Value:
        self.guards.type(origin, types.MethodType)
        function = self.found(real.__func__, origin.attribute("__func__"))
        return Method(function, self.found(real.__self__, origin.attribute("__self__")), origin)

    def _look_at_function(self, real: Any, origin: Origin) -> Value:
        self.guards.type(origin, types.FunctionType)
        if not planted("function code unguarded"):
            self.guards.identity(origin.attribute("__code__"), real.__code__)
        globals_origin = None
        if real.__globals__ is not self.globals:
            globals_origin = origin.attribute("__globals__")
            self.guards.identity(globals_origin, real.__globals__)
        cells = [
            self.cell_of_closure(cell, origin, place)
            for place, cell in enumerate(real.__closure__ or ())
        ]
        defaults = [
            self.found(value, origin.default(place))
            for place, value in enumerate(real.__defaults__ or ())
        ]
        keywords = {
            name: self.found(value, origin.keyword_default(name))
            for name, value in (real.__kwdefaults__ or {}).items()
        }
        if planted("default argument unguarded"):
            defaults = [Const(value) for value in real.__defaults__ or ()]
        if planted("keyword default unguarded"):
            keywords = {name: Const(value) for name, value in (real.__kwdefaults__ or {}).items()}
        if real.__defaults__ is None:
            self.guards.identity(origin.attribute("__defaults__"), None)
        else:
            self.guards.length(origin.attribute("__defaults__"), len(real.__defaults__))
        if real.__kwdefaults__ is None:
            self.guards.identity(origin.attribute("__kwdefaults__"), None)
        else:
            self.guards.keys(origin.attribute("__kwdefaults__"), tuple(real.__kwdefaults__))
        return Function(
            real.__code__,
            real.__globals__,
            globals_origin,
            cells,
            defaults,
            keywords,
            origin,
            real,
        )

    # Cells

    def cell_of_frame(self, real: Any, name: str, origin: Origin) -> Cell:
        """A cell of the root frame's closure."""
        cell = self._cells.get(id(real))
        if cell is None:
            content = self._content(real, origin)
            cell = self._cells[id(real)] = Cell(content, name, None, real)
        return cell

    def cell_of_closure(self, real: Any, function: Origin, place: int) -> Cell:
        """A cell of a captured function's closure."""
        cell = self._cells.get(id(real))
        holder = function.closure_cell(place)
        if cell is None:
            # Two functions could share a cell, or not, the next time.
            self.guards.apart(holder)
            content = self._content(real, function.closure(place))
            cell = self._cells[id(real)] = Cell(content, None, holder, real)
        elif cell.holder is not None and cell.holder.text != holder.text:
            if not planted("shared cell unguarded"):
                self.guards.same(cell.holder, holder)
        elif cell.name is not None:
            self.guards.is_cell_of_frame(cell.name, holder)
        return cell

    def _content(self, real: Any, origin: Origin) -> Value | None:
        try:
            return self.found(real.cell_contents, origin)
        except ValueError:
            self.guards.absent(origin)
            return Const(None) if planted("empty cell taken for None") else None

    # Looking into containers

    def items(self, value: List) -> list[Value]:
        """The items of a list or deque, now looked into."""
        if value.items is None:
            assert value.origin is not None
            if not planted("list length unguarded"):
                self.guards.length(value.origin, len(value.real))
            value.items = [
                self.found(item, value.origin.item(place)) for place, item in enumerate(value.real)
            ]
            value.items.extend(self.effects.appended(value))
        return value.items

    def entries(self, value: Dict) -> dict[Any, Value]:
        """The entries of a dict, now looked into."""
        if value.items is None:
            assert value.origin is not None
            if not all(type(key) in _KEYS for key in value.real):
                raise Break("dict with keys that are no constants")
            self.guards.keys(value.origin, tuple(value.real))
            value.items = {
                key: value.seen.get(key) or self.found(item, value.origin.item(key))
                for key, item in value.real.items()
            }
            for key_value, item in value.pending:
                key = self.look(key_value)
                if isinstance(key, Number):
                    raise MadeStatic(key.inputs)
                assert isinstance(key, Const)
                value.items[key.value] = item
        return value.items

    def entry(self, value: Dict, key: Any) -> Value | None:
        """One entry of a dict, None if there is none; only that is guarded."""
        if value.items is not None or value.pending or type(key) not in _KEYS:
            return self.entries(value).get(key)
        if planted("whole dict guarded"):
            return self.entries(value).get(key)
        if key not in value.seen:
            assert value.origin is not None
            where = value.origin.item(key)
            if key in value.real:
                self.guards.present(where)
                value.seen[key] = self.found(value.real[key], where)
            else:
                self.guards.absent(where)
                value.seen[key] = None
        return value.seen[key]

    def store(self, value: Dict, key: Value, item: Value) -> bool:
        """Store under a key without looking at either; False if that cannot be."""
        if value.items is not None or type(key) is not Lazy or type(key.real) not in (str, int):
            return False
        assert key.origin is not None
        self.guards.type(key.origin, type(key.real))
        self.touch()
        value.pending.append((key, item))
        self.effects.set_item(value, key, item)
        return True

    def members(self, value: Set) -> set[Any]:
        """The members of a set, now looked into."""
        if value.items is None:
            assert value.origin is not None
            if not all(type(key) in _KEYS for key in value.real):
                raise Break("set of what is no constant")
            if not planted("set contents unguarded"):
                self.guards.contents(value.origin, value.real)
            value.items = set(value.real)
        return value.items

    # Globals

    def load_global(self, name: str, globals_: dict[str, Any], origin: Origin | None) -> Value:
        """A global or builtin, as a function with these globals sees it.

        ``origin`` is where the globals are, None for the root frame's.
        """
        written = self.effects.global_written(name, globals_)
        if written is not None:
            if not written.values:
                raise Break(f"global {name!r} that was deleted")
            return written.values[0]
        if name in globals_:
            where = origins.global_(name) if origin is None else origin.item(name)
            return self.found(globals_[name], where)
        where = origins.global_(name) if origin is None else origin.item(name)
        if not planted("absent global unguarded"):
            self.guards.absent(where)
        builtins = globals_.get("__builtins__")
        names = builtins if isinstance(builtins, dict) else vars(builtins)
        if name not in names:
            raise Break(f"name {name!r} that is not defined")
        if origin is None:
            return self.found(names[name], origins.builtin(name))
        holder = origin.item("__builtins__")
        where = holder.item(name) if names is builtins else holder.attribute(name)
        return self.found(names[name], where)

    def touch(self) -> None:
        """Note that something has changed, so that an instruction cannot be begun anew."""
        self.version += 1

    def removing(self, container: Container) -> None:
        """Note that something is taken out of a container."""
        self.touch()
        container.removals += 1

    def state(self) -> tuple[int, int, int]:
        """What tells whether an instruction has left anything."""
        return self.version, self.recorder.captured, len(self.effects)


def _is_left_unguarded(origin: Origin) -> bool:
    """Whether a planted fault leaves out the guard of a constant."""
    variable = origin.load[0].name if origin.base is None else ""
    return (planted("free variable unguarded") and variable == "LOAD_DEREF") or (
        planted("global unguarded") and variable == "LOAD_GLOBAL"
    )


def _is_free(real: Any) -> bool:
    owner = real.__self__
    return owner is None or isinstance(owner, (types.ModuleType, type))


def is_pinned(real: Any) -> bool:
    """Whether an object is one of torch's own that the guards pin by identity."""
    return type(real).__module__ in ("torch._ops",) or issubclass(type(real), type(torch.ops))


def is_plain_instance(cls: type) -> bool:
    """Whether instances of a class are Python objects with plain attributes."""
    return (
        type(cls) is type
        and bool(cls.__flags__ & 0x200)
        and cls.__getattribute__ is object.__getattribute__  # type: ignore[comparison-overlap]
        and not issubclass(cls, (BaseException, int, float, str, tuple, list, dict, set))
        and not cls.__module__.startswith(("torch", "collections", "functools", "contextlib"))
    )


_LOOKERS: dict[type, Callable[[Trace, Any, Origin], Value]] = {
    tuple: Trace._look_at_tuple,
    list: Trace._look_at_list,
    collections.deque: Trace._look_at_list,
    dict: Trace._look_at_dict,
    collections.OrderedDict: Trace._look_at_dict,
    set: Trace._look_at_set,
    frozenset: Trace._look_at_set,
    types.ModuleType: Trace._look_at_module,
    types.FunctionType: Trace._look_at_function,
    types.MethodType: Trace._look_at_method,
}
