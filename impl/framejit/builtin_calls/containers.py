"""Containers: made of others, measured and indexed."""

from __future__ import annotations

import collections
import operator
import sys
from typing import Any

from framejit import attributes, subscripts
from framejit.calls import call
from framejit.evaluator import Evaluator
from framejit.iteration import drained
from framejit.known import born_now, check_own_set, fold, known
from framejit.sequences import entries_of, items_of, plain_key
from framejit.signatures import Call, builtin
from framejit.stops import Break
from framejit.tensors import sizes_of
from framejit.values import (
    Const,
    Dict,
    Instance,
    Iterator,
    List,
    Set,
    Tensor,
    Tuple,
    Value,
)

_NONE = Const(None)


@builtin
def _len(evaluator: Evaluator, depth: int, value: Value, /) -> Value:
    trace = evaluator.trace
    value = evaluator.look(value)
    if isinstance(value, (List, Tuple)):
        return Const(len(items_of(evaluator, value)))
    if isinstance(value, Dict):
        return Const(len(trace.entries(value)))
    if isinstance(value, Set):
        return Const(len(trace.members(value)))
    if isinstance(value, Tensor):
        if value.fake.dim() == 0:
            raise Break("len() of a tensor without dimensions")
        return sizes_of(evaluator, value)[0]
    if isinstance(value, Iterator) and value.kind == "view":
        return Const(len(trace.entries(value.over[0])))
    if isinstance(value, Const):
        return fold(evaluator, len, [value])
    if isinstance(value, Instance):
        method = attributes.special(evaluator, value, "__len__")
        if method is not None:
            length = known(evaluator, call(evaluator, method, [], {}, depth), "length")
            if type(length) is not int or length < 0:
                raise Break("__len__ that returns no length")
            return Const(length)
    raise Break(f"len() of {type(value).__name__.lower()}")


def _items(evaluator: Evaluator, values: Value | None, depth: int) -> list[Value]:
    return [] if values is None else drained(evaluator, values, depth)


@builtin
def _list(evaluator: Evaluator, depth: int, values: Value | None = None, /) -> Value:
    return born_now(evaluator, List(_items(evaluator, values, depth)))


@builtin
def _tuple(evaluator: Evaluator, depth: int, values: Value | None = None, /) -> Value:
    value = values and evaluator.look(values)
    if isinstance(value, Tuple) and value.cls is tuple:
        return value
    return born_now(evaluator, Tuple(_items(evaluator, value, depth)))


def _set(cls: type) -> Call:
    @builtin
    def make(evaluator: Evaluator, depth: int, values: Value | None = None, /) -> Value:
        value = values and evaluator.look(values)
        if isinstance(value, Set):
            if value.cls is cls is frozenset:
                return value
            check_own_set(value)
            return born_now(evaluator, Set(set(evaluator.trace.members(value)), cls))
        members = {plain_key(evaluator, item) for item in _items(evaluator, value, depth)}
        return born_now(evaluator, Set(members, cls))

    return make


@builtin
def _dict(
    evaluator: Evaluator, depth: int, other: Value | None = None, /, **keywords: Value
) -> Value:
    items = {} if other is None else dict(entries_of(evaluator, other, depth))
    return born_now(evaluator, Dict({**items, **keywords}))


@builtin
def _deque(
    evaluator: Evaluator,
    depth: int,
    /,
    iterable: Value | None = None,
    maxlen: Value = _NONE,
) -> Value:
    limit = known(evaluator, maxlen, "maxlen")
    if limit is not None and (type(limit) is not int or not 0 <= limit <= sys.maxsize):
        raise Break("deque() with a limit that is none")
    items = _items(evaluator, iterable, depth)
    if limit is not None:
        items = items[max(len(items) - limit, 0) :]
    return born_now(evaluator, List(items, collections.deque, maxlen=limit))


@builtin
def _getitem(evaluator: Evaluator, depth: int, container: Value, key: Value, /) -> Value:
    return subscripts.get(evaluator, evaluator.look(container), evaluator.look(key), depth)


CALLS: dict[Any, Call] = {
    len: _len,
    list: _list,
    tuple: _tuple,
    set: _set(set),
    frozenset: _set(frozenset),
    dict: _dict,
    collections.deque: _deque,
    operator.getitem: _getitem,
}
