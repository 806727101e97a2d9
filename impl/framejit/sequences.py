"""Joining, repeating and extending lists, tuples, sets and dicts."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from framejit.evaluator import Evaluator
from framejit.iteration import drained, iterate, next_of, stepping
from framejit.known import known
from framejit.stops import Break, Exhausted
from framejit.values import Const, Dict, Instance, List, NotConstant, Set, Tuple, Value

_LONGEST = 10_000


def items_of(evaluator: Evaluator, value: Value) -> list[Value]:
    """The items of a list, deque or tuple."""
    if isinstance(value, Tuple):
        return value.items
    assert isinstance(value, List)
    return evaluator.trace.items(value)


def concatenated(evaluator: Evaluator, left: Value, right: Value) -> Value:
    """``left + right`` of two lists or two tuples."""
    if isinstance(left, List) and isinstance(right, List) and left.cls is right.cls is list:
        return List([*items_of(evaluator, left), *items_of(evaluator, right)])
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        made = Tuple([*left.items, *right.items], type(_empty(left) + _empty(right)))
        if made.cls is torch.Size and not all(_is_int(evaluator, item) for item in made.items):
            raise Break("sum of a torch.Size and of what are no ints")
        return made
    raise Break("sum of unlike containers")


def _empty(value: Tuple) -> Any:
    """What decides a sum's class: with a torch.Size it is one in newer versions of PyTorch."""
    return torch.Size() if value.cls is torch.Size else ()


def _is_int(evaluator: Evaluator, value: Value) -> bool:
    value = evaluator.look(value)
    return type(value.value if isinstance(value, Const) else value.real) is int


def repeated(evaluator: Evaluator, left: Value, right: Value) -> Value | None:
    """``left * right`` of a sequence and an int, None if neither is a sequence."""
    for sequence, times in ((left, right), (right, left)):
        if isinstance(sequence, (List, Tuple)):
            count = known(evaluator, times, "repetition")
            if type(count) not in (int, bool):
                raise Break("repetition by what is no int")
            items = items_of(evaluator, sequence)
            if len(items) * count > _LONGEST:
                raise Break("very long sequence")
            items = items * count
            if isinstance(sequence, Tuple):
                return Tuple(items, type(_empty(sequence) * 1))
            if sequence.cls is not list:
                raise Break("repeated deque")
            return List(items)
    return None


def extended(
    evaluator: Evaluator, function: Callable[..., Any], left: Value, right: Value, depth: int
) -> Value:
    """``left += right`` and its like on something mutable, in place."""
    if isinstance(left, List) and function is operator.iadd:
        extend(evaluator, left, right, depth)
        return left
    if isinstance(left, Set) and left.cls is set and function in _OF_SETS:
        others = _members(evaluator, right)
        members = evaluator.trace.members(left)
        evaluator.trace.touch()
        # As it is now: what changes it later must not be seen here.
        now = Set(set(others), frozenset)
        _OF_SETS[function](members, others)
        evaluator.trace.effects.call(left, _OF_SETS[function], [now])
        return left
    if isinstance(left, Dict) and isinstance(right, Dict) and function is operator.ior:
        update(evaluator, left, entries_of(evaluator, right, depth))
        return left
    raise Break(f"{function.__name__} on {type(left).__name__.lower()}")


_OF_SETS: dict[Callable[..., Any], Any] = {
    operator.ior: set.update,
    operator.iand: set.intersection_update,
    operator.isub: set.difference_update,
    operator.ixor: set.symmetric_difference_update,
}


def _members(evaluator: Evaluator, value: Value) -> set[Any]:
    if isinstance(value, Set):
        return evaluator.trace.members(value)
    raise Break("set operation with what is no set")


def extend(evaluator: Evaluator, target: List, values: Value, depth: int) -> None:
    """``target.extend(values)``."""
    if target.cls is collections.deque and target.maxlen is not None:
        raise Break("extending a deque of limited length")
    items = evaluator.trace.items(target)
    values = evaluator.look(values)
    if isinstance(values, (List, Tuple)):
        iterator = iterate(evaluator, Tuple(list(items_of(evaluator, values))), depth)
    else:
        iterator = iterate(evaluator, values, depth)
    # One by one: a generator sees what it has added so far.
    while True:
        try:
            value = next_of(evaluator, iterator, depth)
        except Exhausted:
            return
        evaluator.trace.touch()
        items.append(value)
        evaluator.trace.effects.call(target, target.cls.append, [value])  # type: ignore[attr-defined]
        if len(items) > _LONGEST:
            raise Break("very long sequence")


def entries_of(evaluator: Evaluator, value: Value, depth: int) -> Iterator[tuple[Any, Value]]:
    """The entries of ``dict(value)``: those of another dict, or pairs."""
    value = evaluator.look(value)
    if isinstance(value, Dict):
        yield from list(evaluator.trace.entries(value).items())
        return
    if isinstance(value, Instance):
        raise Break("entries of an instance, which may be a mapping")
    for pair in stepping(evaluator, value, depth):
        parts = drained(evaluator, pair, depth)
        if len(parts) != 2:
            raise Break("dict of what are no pairs")
        yield plain_key(evaluator, parts[0]), parts[1]


def update(evaluator: Evaluator, target: Dict, entries: Iterable[tuple[Any, Value]]) -> None:
    """``target.update(entries)``, one by one: a generator sees what was put in so far."""
    mine = evaluator.trace.entries(target)
    for key, value in entries:
        evaluator.trace.touch()
        mine[key] = value
        evaluator.trace.effects.set_item(target, Const(key), value)


def plain_key(evaluator: Evaluator, value: Value) -> Any:
    """A dict's key or a set's member as a Python object; Break if it is no constant."""
    try:
        key = known(evaluator, value, "key")
    except NotConstant:
        raise Break("key that is no constant") from None
    if type(key) not in (str, int, float, bool, type(None), bytes, tuple):
        raise Break(f"{type(key).__name__} as a key")
    if type(key) is float and key != key:
        raise Break("nan as a key")
    if type(key) is tuple and not all(type(part) in (str, int, bool) for part in key):
        raise Break("tuple as a key")
    return key
