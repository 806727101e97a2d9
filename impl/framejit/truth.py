"""Whether a value is true, and whether two are one object."""

from __future__ import annotations

from typing import Any

import torch

from framejit import attributes
from framejit.evaluator import Evaluator
from framejit.faults import planted
from framejit.stops import Break, MadeStatic
from framejit.values import (
    Cell,
    Const,
    Dict,
    Exception_,
    Function,
    Generator,
    Instance,
    Iterator,
    Known,
    List,
    Mutable,
    Number,
    Opaque,
    Set,
    Tensor,
    Tuple,
    Value,
    class_of,
)

_ALWAYS_TRUE = (Function, Generator, Iterator, Cell, Exception_)


def truth(evaluator: Evaluator, value: Value) -> bool:
    """``bool(value)``; raises Break where it depends on data or on what is not known."""
    value = evaluator.look(value)
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tensor):
        raise Break("branch that depends on a tensor's data")
    if isinstance(value, Number):
        if value.relation is None:
            raise MadeStatic(value.inputs)
        result = bool(value.example)
        evaluator.trace.guards.relation(value.relation != 0 if result else value.relation == 0)
        return result
    if isinstance(value, Tuple):
        return bool(value.items)
    if isinstance(value, List):
        return bool(evaluator.trace.items(value))
    if isinstance(value, Dict):
        return bool(evaluator.trace.entries(value))
    if isinstance(value, Set):
        return bool(evaluator.trace.members(value))
    if isinstance(value, Known):
        if hasattr(type(value.real), "__bool__") or hasattr(type(value.real), "__len__"):
            raise Break(f"truth of {type(value.real).__name__}, which defines it")
        return True
    if isinstance(value, Iterator) and value.kind == "view":
        return bool(evaluator.trace.entries(value.over[0]))
    if isinstance(value, _ALWAYS_TRUE):
        return True
    if isinstance(value, Instance):
        if not hasattr(value.cls, "__bool__") and not hasattr(value.cls, "__len__"):
            attributes.without(evaluator, value, "__bool__", "__len__")
            return True
        raise Break(f"truth of {value.cls.__name__}, which defines it")
    raise Break(f"truth of {type(value).__name__.lower()}")


# Of these there is one object for each value.
_SINGLE: tuple[Any, ...] = (
    type(None),
    bool,
    type(...),
    type(NotImplemented),
    torch.dtype,
    torch.layout,
)
_SINGLE += (torch.memory_format,)


def is_same(evaluator: Evaluator, one: Value, other: Value) -> bool:
    """Whether two values are one object."""
    one, other = evaluator.look(one), evaluator.look(other)
    if one is other and not isinstance(one, (Const, Number)):
        return True
    if isinstance(one, Opaque) or isinstance(other, Opaque):
        classes = class_of(one), class_of(other)
        if None in classes or classes[0] is classes[1]:
            raise Break("identity of something of which only the class is known")
        return False
    for value, against in ((one, other), (other, one)):
        if isinstance(value, Known) or (isinstance(value, Const) and type(value.value) in _SINGLE):
            if isinstance(against, (Const, Known)):
                return _object(value) is _object(against)
            return False
    if planted("equal taken for identical") and isinstance(one, Const):
        return isinstance(other, Const) and bool(one.value == other.value)
    objects = (Mutable, Tensor, Function)
    if isinstance(one, objects) and isinstance(other, objects):
        if type(one) is type(other):
            for value in (one, other):
                if value.origin is not None:
                    evaluator.trace.guards.apart(value.origin)
                    evaluator.trace.guards.telling_apart()
        return isinstance(one, Tensor) and isinstance(other, Tensor) and one.fake is other.fake
    if type(one) is not type(other) and not all(
        isinstance(v, (Const, Number)) for v in (one, other)
    ):
        return False
    raise Break(f"identity of {type(one).__name__.lower()}")


def _object(value: Const | Known) -> object:
    return value.value if isinstance(value, Const) else value.real
