"""Arithmetic and comparison of ints and floats that are not known."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from framejit.evaluator import Evaluator
from framejit.faults import planted
from framejit.stops import MadeStatic
from framejit.values import Const, Number, Value

# What gives an int of ints and a float otherwise, whatever their values.
_BINARY: dict[Callable[..., Any], bool] = {
    operator.add: True,
    operator.sub: True,
    operator.mul: True,
    operator.floordiv: True,
    operator.mod: True,
    operator.truediv: False,
}
_COMPARE = {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge}
_IN_PLACE = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.itruediv: operator.truediv,
}


def is_numeric(value: Value) -> bool:
    """Whether a value is an int or float, known or not."""
    if isinstance(value, Number):
        return True
    return isinstance(value, Const) and type(value.value) in (int, float, bool)


def binary(evaluator: Evaluator, function: Callable[..., Any], left: Value, right: Value) -> Value:
    """An operation on two numbers, one of which at least is not known."""
    function = _IN_PLACE.get(function, function)
    inputs = _inputs(left) | _inputs(right)
    if function in _COMPARE:
        return _compare(evaluator, function, left, right, inputs)
    if function not in _BINARY:
        raise MadeStatic(inputs)
    one, other = _example(left), _example(right)
    try:
        example = function(one, other)
    except Exception:
        raise MadeStatic(inputs) from None
    relation = None
    sides = _relation(left), _relation(right)
    if _BINARY[function] and type(example) is int and all(side is not None for side in sides):
        relation = function(*sides)
    return evaluator.trace.recorder.number(function, [left, right], example, relation)


def _compare(
    evaluator: Evaluator,
    function: Callable[..., Any],
    left: Value,
    right: Value,
    inputs: frozenset[str],
) -> Value:
    sides = _relation(left), _relation(right)
    if planted("unknown floats compared by value") and any(side is None for side in sides):
        return Const(function(_example(left), _example(right)))
    if any(side is None for side in sides) or all(type(side) is int for side in sides):
        raise MadeStatic(inputs)
    result = function(_example(left), _example(right))
    if type(sides[0]) is int:
        # The native expression stands on the left.
        mirrored = function if planted("comparison not mirrored") else _MIRRORED[function]
        function, sides = mirrored, (sides[1], sides[0])
    holds = function if result else _OPPOSITE[function]
    if planted("relation off by one") and not result:
        holds = {operator.le: operator.ge, operator.ge: operator.le}.get(function, holds)
    evaluator.trace.guards.relation(holds(*sides))
    return Const(result)


_OPPOSITE: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.eq: operator.ne,
    operator.ne: operator.eq,
    operator.lt: operator.ge,
    operator.ge: operator.lt,
    operator.gt: operator.le,
    operator.le: operator.gt,
}
_MIRRORED: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.eq: operator.eq,
    operator.ne: operator.ne,
    operator.lt: operator.gt,
    operator.gt: operator.lt,
    operator.le: operator.ge,
    operator.ge: operator.le,
}


def negative(evaluator: Evaluator, value: Number) -> Value:
    """``-value``."""
    relation = None if value.relation is None else 0 - value.relation
    return evaluator.trace.recorder.number(operator.neg, [value], -value.example, relation)


def _inputs(value: Value) -> frozenset[str]:
    return value.inputs if isinstance(value, Number) else frozenset()


def _example(value: Value) -> Any:
    return value.example if isinstance(value, Number) else value.value  # type: ignore[attr-defined]


def _relation(value: Value) -> Any:
    if isinstance(value, Number):
        return value.relation
    known = value.value  # type: ignore[attr-defined]
    return int(known) if type(known) in (int, bool) else None
