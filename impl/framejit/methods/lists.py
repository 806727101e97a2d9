"""Methods of lists and deques."""

from __future__ import annotations

import collections
import functools
import sys

from framejit.evaluator import Evaluator
from framejit.known import born_now, known, plain_parts
from framejit.methods.containers import clear, folded
from framejit.sequences import extend
from framejit.signatures import Call, builtin
from framejit.stops import Break
from framejit.values import Const, List, Value

_FALSE = Const(False)


@builtin
def _append(evaluator: Evaluator, depth: int, owner: List, value: Value, /) -> Value:
    if owner.cls is not list:
        evaluator.trace.items(owner)
    evaluator.trace.touch()
    if owner.items is not None:
        owner.items.append(value)
        if owner.maxlen is not None and len(owner.items) > owner.maxlen:
            evaluator.trace.removing(owner)
            del owner.items[0]
    evaluator.trace.effects.call(owner, owner.cls.append, [value])  # type: ignore[attr-defined]
    return Const(None)


@builtin
def _extend(evaluator: Evaluator, depth: int, owner: List, values: Value, /) -> Value:
    extend(evaluator, owner, values, depth)
    return Const(None)


@builtin
def _pop(evaluator: Evaluator, depth: int, owner: List, place: Value | None = None, /) -> Value:
    index = -1 if place is None else known(evaluator, place, "index")
    items = evaluator.trace.items(owner)
    if not items:
        evaluator.raise_(IndexError(_EMPTY[owner.cls]))
    if type(index) is not int or not -len(items) <= index < len(items):
        raise Break("index that is not there")
    evaluator.trace.removing(owner)
    value = items.pop(index)
    places = [] if place is None else [place]
    evaluator.trace.effects.call(owner, owner.cls.pop, places)  # type: ignore[attr-defined]
    return value


_EMPTY: dict[type, str] = {
    list: "pop from empty list",
    collections.deque: "pop from an empty deque",
}


@builtin
def _pop_right(evaluator: Evaluator, depth: int, owner: List, /) -> Value:
    return _pop(evaluator, [owner], {}, depth)


@builtin
def _popleft(evaluator: Evaluator, depth: int, owner: List, /) -> Value:
    items = evaluator.trace.items(owner)
    if not items:
        evaluator.raise_(IndexError(_EMPTY[owner.cls]))
    evaluator.trace.removing(owner)
    value = items.pop(0)
    evaluator.trace.effects.call(owner, collections.deque.popleft, [])
    return value


@builtin
def _appendleft(evaluator: Evaluator, depth: int, owner: List, value: Value, /) -> Value:
    if owner.maxlen is not None:
        raise Break("appendleft() of a deque of limited length")
    items = evaluator.trace.items(owner)
    evaluator.trace.touch()
    items.insert(0, value)
    evaluator.trace.effects.call(owner, collections.deque.appendleft, [value])
    return Const(None)


@builtin
def _insert(evaluator: Evaluator, depth: int, owner: List, place: Value, value: Value, /) -> Value:
    index = known(evaluator, place, "index")
    if type(index) is not int or abs(index) > sys.maxsize:
        raise Break("insert() at what is no index")
    items = evaluator.trace.items(owner)
    evaluator.trace.touch()
    items.insert(index, value)
    evaluator.trace.effects.call(owner, list.insert, [place, value])
    return Const(None)


@builtin
def _reverse(evaluator: Evaluator, depth: int, owner: List, /) -> Value:
    items = evaluator.trace.items(owner)
    evaluator.trace.touch()
    items.reverse()
    evaluator.trace.effects.call(owner, owner.cls.reverse, [])  # type: ignore[attr-defined]
    return Const(None)


@builtin
def _remove(evaluator: Evaluator, depth: int, owner: List, value: Value, /) -> Value:
    items = evaluator.trace.items(owner)
    plains = plain_parts(evaluator, [*items, value], "comparison")
    wanted = plains.pop()
    if wanted not in plains:
        evaluator.raise_(ValueError(f"{_NOT_THERE[owner.cls]} not in {owner.cls.__name__}"))
    evaluator.trace.removing(owner)
    del items[plains.index(wanted)]
    evaluator.trace.effects.call(owner, owner.cls.remove, [value])  # type: ignore[attr-defined]
    return Const(None)


_NOT_THERE: dict[type, str] = {
    list: "list.remove(x): x",
    collections.deque: "deque.remove(x): x",
}


@builtin
def _copy(evaluator: Evaluator, depth: int, owner: List, /) -> Value:
    made = List(list(evaluator.trace.items(owner)), owner.cls, maxlen=owner.maxlen)
    return born_now(evaluator, made)


@builtin
def _sort(evaluator: Evaluator, depth: int, owner: List, /, *, reverse: Value = _FALSE) -> Value:
    items = evaluator.trace.items(owner)
    backwards = known(evaluator, reverse, "reverse")
    plains = plain_parts(evaluator, items, "sorting")
    try:
        order = sorted(range(len(plains)), key=plains.__getitem__, reverse=backwards)
    except Exception:
        raise Break("sort of what has no order") from None
    evaluator.trace.touch()
    items[:] = [items[place] for place in order]
    evaluator.trace.effects.call(owner, functools.partial(list.sort, reverse=backwards), [])
    return Const(None)


_OF_BOTH: dict[str, Call] = {
    "append": _append,
    "extend": _extend,
    "clear": clear,
    "reverse": _reverse,
    "remove": _remove,
    "copy": _copy,
    "index": folded("index"),
    "count": folded("count"),
}
METHODS: dict[type, dict[str, Call]] = {
    list: {**_OF_BOTH, "pop": _pop, "insert": _insert, "sort": _sort},
    collections.deque: {
        **_OF_BOTH,
        "pop": _pop_right,
        "popleft": _popleft,
        "appendleft": _appendleft,
    },
}
