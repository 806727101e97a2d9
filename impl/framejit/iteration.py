"""Iterators that the traced program makes, and what they yield."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from framejit.evaluator import Evaluator
from framejit.stops import Break, Exhausted, MadeStatic, Raised
from framejit.values import (
    Const,
    Dict,
    Exception_,
    Generator,
    Instance,
    Iterator,
    List,
    Number,
    Set,
    Tensor,
    Tuple,
    Value,
)

_LONGEST = 10_000


def iterate(evaluator: Evaluator, value: Value, depth: int) -> Value:
    """``iter(value)``."""
    value = evaluator.look(value)
    if isinstance(value, Iterator) and value.kind == "view":
        over, _, *kind = value.over
        keys = [Const(key) for key in evaluator.trace.entries(over)]
        return evaluator.born(Iterator(kind[0] if kind else "keys", [over, keys, *kind]))
    if isinstance(value, (Iterator, Generator)):
        return value
    if isinstance(value, (List, Tuple)):
        return evaluator.born(Iterator("sequence", [value]))
    if isinstance(value, Dict):
        entries = evaluator.trace.entries(value)
        return evaluator.born(Iterator("keys", [value, [Const(key) for key in entries]]))
    if isinstance(value, Set):
        raise Break("iteration over a set")
    if isinstance(value, Const) and isinstance(value.value, range):
        return evaluator.born(Iterator("range", [value]))
    if isinstance(value, Const) and isinstance(value.value, (str, bytes)):
        return evaluator.born(Iterator("constants", [value, [Const(v) for v in value.value]]))
    if isinstance(value, Tensor):
        if value.fake.dim() == 0:
            raise Break("iteration over a tensor without dimensions")
        if value.sizes:
            raise MadeStatic(value.sizes)
        parts = evaluator.trace.recorder.call("call_function", torch.unbind, [value, Const(0)])
        return evaluator.born(Iterator("sequence", [parts]))
    if isinstance(value, Number):
        raise MadeStatic(value.inputs)
    if isinstance(value, Instance):
        from framejit.attributes import special
        from framejit.calls import call

        method = special(evaluator, value, "__iter__")
        if method is not None:
            return evaluator.look(call(evaluator, method, [], {}, depth))
    raise Break(f"iteration over {type(value).__name__.lower()}")


def next_of(evaluator: Evaluator, iterator: Value, depth: int) -> Value:
    """The next value of an iterator; raises Exhausted at its end."""
    iterator = evaluator.look(iterator)
    if isinstance(iterator, Generator):
        return evaluator.advance(iterator)
    if isinstance(iterator, Instance):
        return _next_of_instance(evaluator, iterator, depth)
    if not isinstance(iterator, Iterator):
        raise Break("iterator from outside")
    if iterator.kind not in _NEXT:
        raise Break("next() of what is no iterator")
    evaluator.trace.touch()
    return _NEXT[iterator.kind](evaluator, iterator, depth)


def next_or_stop(evaluator: Evaluator, iterator: Value, depth: int) -> Value:
    """The next value of an iterator; at its end the program gets a StopIteration."""
    return or_stop(evaluator, lambda: next_of(evaluator, iterator, depth))


def or_stop(evaluator: Evaluator, step: Callable[[], Value]) -> Value:
    """What a step of an iterator gives; at its end the program gets a StopIteration."""
    try:
        return step()
    except Exhausted as end:
        value = end.value
        is_none = value is None or (isinstance(value, Const) and value.value is None)
        values = [] if value is None or is_none else [value]
        raise Raised(evaluator.exception(StopIteration, values)) from None


def sent(evaluator: Evaluator, iterator: Value, value: Value, depth: int) -> Value:
    """The next value of an iterator to which a value is sent; raises Exhausted at its end."""
    iterator = evaluator.look(iterator)
    value = evaluator.look(value)
    if isinstance(value, Const) and value.value is None:
        return next_of(evaluator, iterator, depth)
    if not isinstance(iterator, Generator):
        raise Break("sending to what is no generator")
    frame = iterator.frame
    if frame.place == 0 or not frame.stack:
        raise Break("sending to a generator that has not begun")
    frame.stack[-1] = value
    return next_of(evaluator, iterator, depth)


def _next_of_instance(evaluator: Evaluator, iterator: Instance, depth: int) -> Value:
    from framejit.attributes import special
    from framejit.calls import call

    method = special(evaluator, iterator, "__next__")
    if method is None:
        raise Break("iterator that does not define __next__")
    try:
        return call(evaluator, method, [], {}, depth)
    except Raised as raised:
        if isinstance(raised.value, Exception_) and raised.value.cls is StopIteration:
            raise Exhausted() from None
        raise


def _sequence(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    over = iterator.over[0]
    items = over.items if isinstance(over, Tuple) else evaluator.trace.items(over)
    if isinstance(over, List) and over.cls is not list:
        if (over.removals, len(items)) != (iterator.removals, iterator.length):
            raise Break("deque that changes while it is iterated over")
    if iterator.index < 0 or iterator.index >= len(items):
        iterator.index = -1
        raise Exhausted()
    if iterator.index > _LONGEST:
        raise Break("very long iteration")
    value: Value = items[iterator.index]
    iterator.index += 1
    return value


def _range(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    over = iterator.over[0].value
    if iterator.index >= len(over):
        raise Exhausted()
    value = Const(over[iterator.index])
    iterator.index += 1
    return value


def _listed(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    over, listed, *view = iterator.over
    if isinstance(over, Dict) and _have_changed(evaluator, iterator, over, listed):
        raise Break("dict whose keys change while it is iterated over")
    if isinstance(over, List) and len(evaluator.trace.items(over)) != len(listed):
        raise Break("list that changes its size while it is reversed")
    if iterator.index >= len(listed):
        raise Exhausted()
    value: Value = listed[iterator.index]
    if isinstance(over, List):
        value = evaluator.trace.items(over)[-1 - iterator.index]
    iterator.index += 1
    if view:
        assert isinstance(value, Const)
        found = evaluator.trace.entries(over)[value.value]
        return found if view == ["values"] else evaluator.born(Tuple([value, found]))
    return value


def _have_changed(
    evaluator: Evaluator, iterator: Iterator, over: Dict, listed: list[Const]
) -> bool:
    if over.removals != iterator.removals:
        return True
    return list(evaluator.trace.entries(over)) != [key.value for key in listed]


def _zip(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    if not iterator.over:
        raise Exhausted()
    values = [next_of(evaluator, over, depth) for over in iterator.over]
    iterator.index += 1
    return evaluator.born(Tuple(values))


def _enumerate(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    value = next_of(evaluator, iterator.over[0], depth)
    index = iterator.over[1] + iterator.index
    iterator.index += 1
    return evaluator.born(Tuple([Const(index), value]))


def _map(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    from framejit.calls import call

    assert iterator.function is not None
    values = [next_of(evaluator, over, depth) for over in iterator.over]
    iterator.index += 1
    return call(evaluator, iterator.function, values, {}, depth)


def _filter(evaluator: Evaluator, iterator: Iterator, depth: int) -> Value:
    from framejit.calls import call
    from framejit.truth import truth

    assert iterator.function is not None
    while True:
        value = next_of(evaluator, iterator.over[0], depth)
        function = iterator.function
        is_none = isinstance(function, Const) and function.value is None
        kept = value if is_none else call(evaluator, function, [value], {}, depth)
        if truth(evaluator, kept):
            return value


_NEXT = {
    "sequence": _sequence,
    "range": _range,
    "keys": _listed,
    "values": _listed,
    "items": _listed,
    "constants": _listed,
    "reversed": _listed,
    "zip": _zip,
    "enumerate": _enumerate,
    "map": _map,
    "filter": _filter,
}


def drained(evaluator: Evaluator, value: Value, depth: int) -> list[Value]:
    """``list(value)`` as values."""
    value = evaluator.look(value)
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, List):
        return list(evaluator.trace.items(value))
    return list(stepping(evaluator, value, depth))


def stepping(evaluator: Evaluator, value: Value, depth: int) -> Iterable[Value]:
    """The values of an iterable one by one, for what uses each before it asks for the next."""
    iterator = iterate(evaluator, value, depth)
    for _ in range(_LONGEST):
        try:
            found = next_of(evaluator, iterator, depth)
        except Exhausted:
            return
        yield found
    raise Break("very long iteration")
