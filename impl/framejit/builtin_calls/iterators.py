"""Iterators: made, stepped, and what goes over one to its end."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from framejit.calls import call
from framejit.evaluator import Evaluator
from framejit.iteration import drained, iterate, next_of, next_or_stop, stepping
from framejit.known import born_now, fold, known, plain_parts, value_of
from framejit.opcodes.operators import binary
from framejit.sequences import items_of
from framejit.signatures import Call, builtin
from framejit.stops import Break, Exhausted
from framejit.truth import truth
from framejit.values import Const, Iterator, List, Set, Tuple, Value, class_of

_ZERO = Const(0)


@builtin
def _iter(evaluator: Evaluator, depth: int, value: Value, /) -> Value:
    return iterate(evaluator, value, depth)


@builtin
def _next(
    evaluator: Evaluator, depth: int, iterator: Value, default: Value | None = None, /
) -> Value:
    if default is None:
        return next_or_stop(evaluator, iterator, depth)
    try:
        return next_of(evaluator, iterator, depth)
    except Exhausted:
        return default


@builtin
def _zip(evaluator: Evaluator, depth: int, /, *iterables: Value) -> Value:
    over = [iterate(evaluator, value, depth) for value in iterables]
    return born_now(evaluator, Iterator("zip", over))


@builtin
def _enumerate(evaluator: Evaluator, depth: int, /, iterable: Value, start: Value = _ZERO) -> Value:
    over = iterate(evaluator, iterable, depth)
    first = known(evaluator, start, "start")
    if type(first) is not int:
        raise Break("enumerate() from what is no int")
    return born_now(evaluator, Iterator("enumerate", [over, first]))


@builtin
def _map(evaluator: Evaluator, depth: int, function: Value, first: Value, /, *more: Value) -> Value:
    over = [iterate(evaluator, value, depth) for value in (first, *more)]
    return born_now(evaluator, Iterator("map", over, function))


@builtin
def _filter(evaluator: Evaluator, depth: int, function: Value, iterable: Value, /) -> Value:
    over = iterate(evaluator, iterable, depth)
    return born_now(evaluator, Iterator("filter", [over], evaluator.look(function)))


@builtin
def _reversed(evaluator: Evaluator, depth: int, sequence: Value, /) -> Value:
    value = evaluator.look(sequence)
    if isinstance(value, (List, Tuple)):
        items = list(reversed(items_of(evaluator, value)))
        return born_now(evaluator, Iterator("reversed", [value, items]))
    if isinstance(value, Const) and isinstance(value.value, range):
        return born_now(evaluator, Iterator("range", [Const(value.value[::-1])]))
    raise Break(f"reversed() of {type(value).__name__.lower()}")


@builtin
def _sum(evaluator: Evaluator, depth: int, iterable: Value, /, start: Value = _ZERO) -> Value:
    if class_of(evaluator.look(start)) in (str, bytes):
        raise Break("sum() of strings")
    total = start
    for value in stepping(evaluator, iterable, depth):
        total = binary(evaluator, operator.add, total, value, depth)
    return total


def _quantifier(wanted: bool) -> Call:
    @builtin
    def quantifier(evaluator: Evaluator, depth: int, iterable: Value, /) -> Value:
        iterator = iterate(evaluator, iterable, depth)
        while True:
            try:
                value = next_of(evaluator, iterator, depth)
            except Exhausted:
                return Const(not wanted)
            if truth(evaluator, value) is wanted:
                return Const(wanted)

    return quantifier


def _extreme(function: Callable[..., Any]) -> Call:
    name = function.__name__

    @builtin
    def extreme(
        evaluator: Evaluator,
        depth: int,
        first: Value,
        /,
        *more: Value,
        default: Value | None = None,
    ) -> Value:
        if more and default is not None:
            raise Break(f"{name}() of several with a default")
        values = [first, *more] if more else drained(evaluator, first, depth)
        if not values and default is not None:
            return default
        if not values:
            return fold(evaluator, function, [Tuple([])])
        rank: int = _by_rank(evaluator, function, values)
        return values[rank]

    return extreme


@builtin
def _sorted(
    evaluator: Evaluator, depth: int, iterable: Value, /, *, reverse: Value = _ZERO
) -> Value:
    value = evaluator.look(iterable)
    if isinstance(value, Set):
        values: list[Value] = [value_of(member) for member in evaluator.trace.members(value)]
    else:
        values = drained(evaluator, value, depth)
    backwards = known(evaluator, reverse, "reverse")
    ranks = _by_rank(evaluator, functools.partial(sorted, reverse=backwards), values)
    return born_now(evaluator, List([values[rank] for rank in ranks]))


def _by_rank(evaluator: Evaluator, function: Callable[..., Any], values: list[Value]) -> Any:
    """What a function that compares gives, as places in ``values``: they stay what they are."""
    plains = plain_parts(evaluator, values, "comparison")
    try:
        return function(range(len(plains)), key=plains.__getitem__)
    except Exception as error:
        evaluator.raise_(error)


@builtin
def _reduce(
    evaluator: Evaluator,
    depth: int,
    function: Value,
    iterable: Value,
    initial: Value | None = None,
    /,
) -> Value:
    total = initial
    for value in stepping(evaluator, iterable, depth):
        total = value if total is None else call(evaluator, function, [total, value], {}, depth)
    if total is None:
        raise Break("reduce() of nothing")
    return total


CALLS: dict[Any, Call] = {
    iter: _iter,
    next: _next,
    zip: _zip,
    enumerate: _enumerate,
    map: _map,
    filter: _filter,
    reversed: _reversed,
    sum: _sum,
    any: _quantifier(True),
    all: _quantifier(False),
    min: _extreme(min),
    max: _extreme(max),
    sorted: _sorted,
    functools.reduce: _reduce,
}
