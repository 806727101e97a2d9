"""Symbolic values: what is known, while tracing, of what will be there when the code runs."""

from __future__ import annotations

import collections
import types
from typing import Any, ClassVar

import torch

from framejit.origins import Origin


class Value:
    """Base of all: ``origin`` is where it was before the frame began, None if it was not there.

    ``real`` is the object that it was found as; ``born`` is the place in the trace (a count of the
    root frame's instructions) where it came to be, to which tracing goes back if it cannot be
    made.
    """

    __slots__ = ("born", "origin", "real")

    def __init__(self, origin: Origin | None = None, real: Any = None) -> None:
        self.origin = origin
        self.real = real
        self.born = -1


class Lazy(Value):
    """Something that was there before, and that the program has not looked at yet: unguarded."""

    __slots__ = ()


class Null(Value):
    """CPython's NULL on the stack, beside a callable that is no method."""

    __slots__ = ()


NULL = Null()


class Const(Value):
    """A known immutable object without parts that matter: a number, a string, None, a dtype."""

    __slots__ = ("value",)

    def __init__(self, value: Any, origin: Origin | None = None) -> None:
        super().__init__(origin, value)
        self.value = value


class Tensor(Value):
    """A tensor: the node of the graph that yields it, and a fake that tells what it is like.

    Where sizes are not known, the fake is an example: ``sizes`` are the texts of the unknown
    numbers that its shape may depend on; ``varying`` the dimensions, of a tensor from outside,
    whose size is not known.
    """

    __slots__ = ("fake", "node", "sizes", "varying")

    def __init__(
        self,
        node: torch.fx.Node,
        fake: torch.Tensor,
        origin: Origin | None = None,
        real: Any = None,
    ) -> None:
        super().__init__(origin, real)
        self.node = node
        self.fake = fake
        self.sizes: frozenset[str] = frozenset()
        self.varying: frozenset[int] = frozenset()


class Number(Value):
    """An int or float that is not known: a node of the graph, an example, where it comes from.

    ``relation`` is it as an expression of native guards (ints only); ``inputs`` are the texts of
    the origins that it depends on.
    """

    __slots__ = ("example", "inputs", "node", "relation")

    def __init__(
        self,
        node: torch.fx.Node,
        example: Any,
        relation: Any,
        inputs: frozenset[str],
        origin: Origin | None = None,
    ) -> None:
        super().__init__(origin, example)
        self.node = node
        self.example = example
        self.relation = relation
        self.inputs = inputs


class Tuple(Value):
    """A tuple, or an instance of a subclass such as a named tuple or torch.Size."""

    __slots__ = ("cls", "items")

    def __init__(
        self, items: list[Value], cls: type = tuple, origin: Origin | None = None, real: Any = None
    ) -> None:
        super().__init__(origin, real)
        self.items = items
        self.cls = cls


class Slice(Value):
    """A slice object."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Value]) -> None:
        super().__init__()
        self.parts = parts


class Mutable(Value):
    """What can change: the trace must hold it once, however it is reached."""

    __slots__ = ()


class Container(Mutable):
    """What holds values.  ``items`` is None for one from outside that was not looked into yet.

    ``removals`` counts when something was taken out, which what goes over it can tell.
    """

    __slots__ = ("cls", "items", "removals")
    usual: ClassVar[type] = list

    def __init__(
        self,
        items: Any,
        cls: type | None = None,
        origin: Origin | None = None,
        real: Any = None,
    ) -> None:
        super().__init__(origin, real)
        self.items = items
        self.cls = self.usual if cls is None else cls
        self.removals = 0


class List(Container):
    """A list or deque."""

    __slots__ = ("maxlen",)
    usual = list
    items: list[Value] | None

    def __init__(
        self,
        items: list[Value] | None,
        cls: type | None = None,
        origin: Origin | None = None,
        real: Any = None,
        maxlen: int | None = None,
    ) -> None:
        super().__init__(items, cls, origin, real)
        self.maxlen = maxlen


class Dict(Container):
    """A dict with constant keys.

    ``seen`` are the entries of one not looked into that were asked for, None where there is none,
    and ``pending`` what was stored under keys that need not have been looked at.
    """

    __slots__ = ("pending", "seen")
    usual = dict
    items: dict[Any, Value] | None

    def __init__(
        self,
        items: dict[Any, Value] | None,
        cls: type | None = None,
        origin: Origin | None = None,
        real: Any = None,
    ) -> None:
        super().__init__(items, cls, origin, real)
        self.seen: dict[Any, Value | None] = {}
        self.pending: list[tuple[Value, Value]] = []


class Set(Container):
    """A set or frozenset of constants."""

    __slots__ = ()
    usual = set
    items: set[Any] | None


class Instance(Mutable):
    """An instance of a class written in Python; ``attributes`` are those written or read so far.

    A deleted one is None.
    """

    __slots__ = ("attributes", "cls")

    def __init__(self, cls: type, origin: Origin | None = None, real: Any = None) -> None:
        super().__init__(origin, real)
        self.cls = cls
        self.attributes: dict[str, Value | None] = {}


class Cell(Mutable):
    """A cell.  ``content`` is None when it is empty.

    ``name`` is its name in the root frame, if it has one; ``holder`` is the origin of the cell
    itself for one that only a captured function holds.
    """

    __slots__ = ("content", "holder", "name", "was_bound")

    def __init__(
        self,
        content: Value | None,
        name: str | None = None,
        holder: Origin | None = None,
        real: Any = None,
    ) -> None:
        super().__init__(None, real)
        self.content = content
        self.name = name
        self.holder = holder
        self.was_bound = content is not None


class Function(Value):
    """A Python function, found or made here."""

    __slots__ = (
        "annotations",
        "cells",
        "code",
        "defaults",
        "globals",
        "globals_origin",
        "kwdefaults",
    )

    def __init__(
        self,
        code: types.CodeType,
        globals_: dict[str, Any],
        globals_origin: Origin | None,
        cells: list[Cell],
        defaults: list[Value],
        kwdefaults: dict[str, Value],
        origin: Origin | None = None,
        real: Any = None,
    ) -> None:
        super().__init__(origin, real)
        self.code = code
        self.globals = globals_
        self.globals_origin = globals_origin
        self.cells = cells
        self.defaults = defaults
        self.kwdefaults = kwdefaults
        self.annotations: Value | None = None


class Method(Value):
    """A bound method of a Python function."""

    __slots__ = ("function", "instance")

    def __init__(self, function: Value, instance: Value, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.function = function
        self.instance = instance


class BuiltinMethod(Value):
    """A method, by name, of a value whose class is written in C."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Value, name: str, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.owner = owner
        self.name = name


class Known(Value):
    """An object that the guards pin by identity: a module, a class, a builtin function."""

    __slots__ = ()


class Opaque(Value):
    """An object of which nothing more is known than its class: it can only be passed on."""

    __slots__ = ()


class Exception_(Value):
    """An exception that the traced program made."""

    __slots__ = ("arguments", "cls")

    def __init__(self, cls: type[BaseException], arguments: list[Value]) -> None:
        super().__init__()
        self.cls = cls
        self.arguments = arguments


class Iterator(Mutable):
    """An iterator that the traced program made.

    ``kind`` says how (``sequence``, ``range``, ``zip``, ``enumerate``, ``map``, ``constants``),
    ``over`` what it goes over, ``index`` how many steps it has made.  ``removals`` and ``length``
    are those of a container when it was made: if one changes, some iterators do not go on.
    """

    __slots__ = ("function", "index", "kind", "length", "over", "removals")

    def __init__(self, kind: str, over: list[Any], function: Value | None = None) -> None:
        super().__init__()
        self.kind = kind
        self.over = over
        self.function = function
        self.index = 0
        container = over[0] if over and isinstance(over[0], Container) else Container(())
        self.removals = container.removals
        self.length = len(container.items or ())


class Generator(Mutable):
    """A generator that the traced program made, with its frame."""

    __slots__ = ("finished", "frame", "running")

    def __init__(self, frame: Any) -> None:
        super().__init__()
        self.frame = frame
        self.finished = False
        self.running = False

    def may_be_closed(self, goes_on: bool) -> bool:
        """Whether it runs its handlers if the last reference to it goes now, or later.

        CPython closes it where that is; code that is made keeps what it holds for longer.
        ``goes_on`` tells whether the program can still use it.
        """
        if self.finished:
            return False
        if self.frame.place == 0:
            return goes_on
        return goes_on or self.frame.decoded.instructions[self.frame.place - 1].handler is not None


class GradMode(Mutable):
    """A context manager of torch that sets the grad mode, made here."""

    __slots__ = ("cls", "mode", "previous")

    def __init__(self, cls: type, mode: bool) -> None:
        super().__init__()
        self.cls = cls
        self.mode = mode
        self.previous: bool | None = None


class Previous(Value):
    """On the stack while an exception is handled: the one that was handled before it.

    The ``exception`` is mostly the value above, but not once the program has stored it.
    """

    __slots__ = ("exception",)

    def __init__(self, exception: Value) -> None:
        super().__init__()
        self.exception = exception


class NotConstant(Exception):
    """A value has no known Python object."""


def constant(value: Value) -> Any:
    """The Python object that a value is known to be, all its parts included.

    Raises NotConstant.
    """
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        items = [constant(item) for item in value.items]
        return tuple(items) if value.cls is tuple else _make_tuple(value.cls, items)
    if isinstance(value, Slice):
        return slice(*(constant(part) for part in value.parts))
    if isinstance(value, Known):
        return value.real
    raise NotConstant(type(value).__name__)


def _make_tuple(cls: Any, items: list[Any]) -> Any:
    if hasattr(cls, "_make"):
        return cls._make(items)
    return cls(items)


def is_number(value: Any) -> bool:
    """Whether a Python object is an int or float that a graph may get as an input."""
    return type(value) is int or type(value) is float


def is_named_tuple(cls: type) -> bool:
    """Whether a class is a named tuple's, and does with its items what a tuple does."""
    if type(cls) is not type or not issubclass(cls, tuple) or not hasattr(cls, "_fields"):
        return False
    if not all(type(getattr(cls, name, None)) is _FIELD for name in cls._fields):
        return False
    of_bases = [vars(base) for base in cls.__mro__ if base not in (tuple, object)]
    return not any(
        name.startswith("__") and name not in _SAYING and not _is_of_named_tuples(value)
        for attributes in of_bases
        for name, value in attributes.items()
    )


_FIELD = type(vars(collections.namedtuple("_Named", "field"))["field"])
# Special attributes that change nothing of what a class does.
_SAYING = frozenset(
    (
        "__annotations__ __dict__ __doc__ __match_args__ __module__ __orig_bases__ __qualname__ "
        "__slots__ __weakref__"
    ).split()
)


def _is_of_named_tuples(method: Any) -> bool:
    """Whether a method is one that ``collections.namedtuple`` gives to a class."""
    globals_ = getattr(method, "__globals__", {})
    name = str(globals_.get("__name__"))
    return name == "collections" or name.startswith("namedtuple_")


def class_of(value: Value) -> type | None:
    """A value's class, None if it is not known."""
    if isinstance(value, Const):
        return type(value.value)
    if isinstance(value, Number):
        return type(value.example)
    if isinstance(value, Tensor):
        like = value.fake if value.real is None else value.real
        is_parameter = isinstance(like, torch.nn.Parameter)
        parameter: type = torch.nn.Parameter
        return parameter if is_parameter else torch.Tensor
    if isinstance(value, (Tuple, Container, Instance, Exception_)):
        return value.cls
    if isinstance(value, Function):
        return types.FunctionType
    if isinstance(value, (Known, Opaque)):
        return type(value.real)
    if isinstance(value, Generator):
        return types.GeneratorType
    return None
