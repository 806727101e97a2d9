"""Methods of iterators and generators that the traced program makes."""

from __future__ import annotations

from framejit.evaluator import Evaluator
from framejit.iteration import next_or_stop
from framejit.signatures import Call, builtin
from framejit.stops import Break
from framejit.values import Generator, Iterator, Value


@builtin
def _next(evaluator: Evaluator, depth: int, owner: Value, /) -> Value:
    return next_or_stop(evaluator, owner, depth)


@builtin
def _send(evaluator: Evaluator, depth: int, owner: Generator, value: Value, /) -> Value:
    frame = owner.frame
    if frame.place == 0 or not frame.stack:
        raise Break("sending to a generator that has not begun")
    frame.stack[-1] = value
    return next_or_stop(evaluator, owner, depth)


METHODS: dict[type, dict[str, Call]] = {
    Iterator: {"__next__": _next},
    Generator: {"__next__": _next, "send": _send},
}
