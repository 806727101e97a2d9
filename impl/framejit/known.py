"""Values that are known Python objects: taking them out, and putting results back in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch

from framejit.evaluator import Evaluator
from framejit.faults import planted
from framejit.stops import Break, MadeStatic
from framejit.values import (
    Const,
    Dict,
    Known,
    List,
    NotConstant,
    Number,
    Set,
    Slice,
    Tuple,
    Value,
    constant,
)

_V = TypeVar("_V", bound=Value)
_SCALARS: tuple[Any, ...] = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(...),
    type(NotImplemented),
    range,
)
_SCALARS += (torch.dtype, torch.device, torch.layout, torch.memory_format)
# Results that are larger are left to CPython.
_LARGEST = 10_000


def plain(evaluator: Evaluator, value: Value) -> Any:
    """The Python object that a value is known to be, lists, dicts and sets included.

    The object is a copy.  Raises NotConstant; MadeStatic if it is a number that is not known.
    """
    value = evaluator.look(value)
    if isinstance(value, Number) and planted("unknown number used by value"):
        return value.example
    if isinstance(value, Number):
        raise MadeStatic(value.inputs)
    if isinstance(value, Tuple) and value.cls is tuple:
        return tuple(_part(evaluator, item) for item in value.items)
    if isinstance(value, Tuple):
        value.items = [evaluator.look(item) for item in value.items]
    if isinstance(value, List) and value.cls is list:
        return [_part(evaluator, item) for item in evaluator.trace.items(value)]
    if isinstance(value, Dict) and value.cls is dict:
        entries = evaluator.trace.entries(value)
        return {key: _part(evaluator, item) for key, item in entries.items()}
    if isinstance(value, Set):
        return value.cls(evaluator.trace.members(value))
    if isinstance(value, Slice):
        return slice(*(plain(evaluator, part) for part in value.parts))
    return constant(value)


def _part(evaluator: Evaluator, value: Value) -> Any:
    part = plain(evaluator, value)
    if type(part) is float and part != part:
        # Containers find it by identity, which is not known.
        raise NotConstant("nan")
    return part


def known(evaluator: Evaluator, value: Value, what: str) -> Any:
    """The constant that a value is known to be; Break, saying for what, if it is not known."""
    try:
        return plain(evaluator, value)
    except NotConstant as error:
        raise Break(f"{what} of {error}, whose value is not known") from None


def plain_parts(evaluator: Evaluator, values: Sequence[Value], what: str) -> list[Any]:
    """Values as the parts of a container; Break, saying for what, if one is not known."""
    try:
        return [_part(evaluator, value) for value in values]
    except NotConstant as error:
        raise Break(f"{what} of {error}, whose value is not known") from None


def value_of(result: Any) -> Value:
    """A Python object that a constant operation gave, as a value; Break if it cannot be one."""
    if isinstance(result, _SCALARS):
        if isinstance(result, (str, bytes)) and len(result) > _LARGEST:
            raise Break("very long string")
        return Const(result)
    cls = type(result)
    if planted("list folded to a constant") and cls is list:
        return Const(result)
    if cls in (tuple, torch.Size) or hasattr(cls, "_fields"):
        return Tuple([value_of(item) for item in result], cls)
    if cls is list:
        return List([value_of(item) for item in result])
    if cls is dict:
        return Dict({key: value_of(item) for key, item in result.items()})
    if cls in (set, frozenset):
        return Set(set(result), cls)
    if cls is slice:
        return Slice([value_of(part) for part in (result.start, result.stop, result.step)])
    if isinstance(result, type):
        return Known(None, result)
    raise Break(f"{cls.__name__} as the result of a known operation")


def fold(
    evaluator: Evaluator,
    function: Callable[..., Any],
    arguments: Sequence[Value],
    keywords: dict[str, Value] | None = None,
) -> Value:
    """Call a pure function on known arguments, now.

    Raises NotConstant if one is not known; what the function raises is raised in the program.
    """
    plains = [plain(evaluator, value) for value in arguments]
    keyword_plains = {name: plain(evaluator, value) for name, value in (keywords or {}).items()}
    try:
        result = function(*plains, **keyword_plains)
    except Exception as error:
        evaluator.raise_(error)
    if isinstance(result, (set, frozenset)):
        for value in arguments:
            check_own_set(evaluator.look(value))
    return born_now(evaluator, value_of(result))


def check_own_set(value: Value) -> None:
    """Raise Break if a set would be made of one from outside.

    Its order would be that of the set that was there while tracing: equal sets go over their
    members in the order of what was put in and taken out.
    """
    if isinstance(value, Set) and value.origin is not None:
        raise Break("set made of one from outside")


def born_now(evaluator: Evaluator, value: _V) -> _V:
    """Note where a new value came to be."""
    if value.origin is None and value.born < 0:
        value.born = evaluator.trace.visits
    return value


def has_set(evaluator: Evaluator, value: Value) -> bool:
    """Whether a value is or contains a set, whose order is not known."""
    value = evaluator.look(value)
    if isinstance(value, Tuple):
        return any(has_set(evaluator, item) for item in value.items)
    if isinstance(value, List):
        return any(has_set(evaluator, item) for item in evaluator.trace.items(value))
    if isinstance(value, Dict):
        return any(has_set(evaluator, item) for item in evaluator.trace.entries(value).values())
    return isinstance(value, Set)
