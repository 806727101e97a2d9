"""Methods of iterators and generators that the traced program makes."""

from __future__ import annotations

from framejit.evaluator import Evaluator
from framejit.iteration import next_or_stop, or_stop, sent
from framejit.signatures import Call, builtin
from framejit.values import Generator, Iterator, Value


@builtin
def _next(evaluator: Evaluator, depth: int, owner: Value, /) -> Value:
    return next_or_stop(evaluator, owner, depth)


@builtin
def _send(evaluator: Evaluator, depth: int, owner: Generator, value: Value, /) -> Value:
    return or_stop(evaluator, lambda: sent(evaluator, owner, value, depth))


METHODS: dict[type, dict[str, Call]] = {
    Iterator: {"__next__": _next},
    Generator: {"__next__": _next, "send": _send},
}
