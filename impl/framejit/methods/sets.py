"""Methods of sets and frozensets."""

from __future__ import annotations

from collections.abc import Iterable

from framejit.evaluator import Evaluator
from framejit.iteration import stepping
from framejit.known import value_of
from framejit.methods.containers import clear, folded
from framejit.sequences import plain_key
from framejit.signatures import Call, builtin
from framejit.values import Const, Set, Value


@builtin
def _add(evaluator: Evaluator, depth: int, owner: Set, member: Value, /) -> Value:
    key = plain_key(evaluator, member)
    members = evaluator.trace.members(owner)
    evaluator.trace.touch()
    members.add(key)
    evaluator.trace.effects.call(owner, set.add, [member])
    return Const(None)


@builtin
def _discard(evaluator: Evaluator, depth: int, owner: Set, member: Value, /) -> Value:
    key = plain_key(evaluator, member)
    members = evaluator.trace.members(owner)
    evaluator.trace.removing(owner)
    members.discard(key)
    evaluator.trace.effects.call(owner, set.discard, [member])
    return Const(None)


@builtin
def _remove(evaluator: Evaluator, depth: int, owner: Set, member: Value, /) -> Value:
    key = plain_key(evaluator, member)
    if key not in evaluator.trace.members(owner):
        evaluator.raise_(KeyError(key))
    return _discard(evaluator, [owner, member], {}, depth)


@builtin
def _update(evaluator: Evaluator, depth: int, owner: Set, /, *others: Value) -> Value:
    members = evaluator.trace.members(owner)
    for other in others:
        # One by one: a generator sees what was added so far.
        for value in _members(evaluator, other, depth):
            key = plain_key(evaluator, value)
            evaluator.trace.touch()
            members.add(key)
            evaluator.trace.effects.call(owner, set.add, [Const(key)])
    return Const(None)


def _members(evaluator: Evaluator, value: Value, depth: int) -> Iterable[Value]:
    value = evaluator.look(value)
    if isinstance(value, Set):
        return [value_of(member) for member in evaluator.trace.members(value)]
    return stepping(evaluator, value, depth)


_OF_BOTH: dict[str, Call] = {
    "union": folded("union"),
    "intersection": folded("intersection"),
    "difference": folded("difference"),
    "symmetric_difference": folded("symmetric_difference"),
    "issubset": folded("issubset"),
    "issuperset": folded("issuperset"),
    "isdisjoint": folded("isdisjoint"),
}
METHODS: dict[type, dict[str, Call]] = {
    frozenset: _OF_BOTH,
    set: {
        **_OF_BOTH,
        "add": _add,
        "discard": _discard,
        "remove": _remove,
        "update": _update,
        "clear": clear,
        "copy": folded("copy"),
    },
}
