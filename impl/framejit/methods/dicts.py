"""Methods of dicts and ordered dicts."""

from __future__ import annotations

import collections

from framejit.effects import key_of
from framejit.evaluator import Evaluator
from framejit.known import born_now, known
from framejit.methods.containers import clear
from framejit.sequences import entries_of, plain_key, update
from framejit.signatures import Call, builtin
from framejit.stops import Break
from framejit.values import Const, Dict, Iterator, Tuple, Value

_NONE = Const(None)
_TRUE = Const(True)


@builtin
def _get(
    evaluator: Evaluator, depth: int, owner: Dict, key: Value, default: Value = _NONE, /
) -> Value:
    found = evaluator.trace.entry(owner, plain_key(evaluator, key))
    return default if found is None else found


@builtin
def _setdefault(
    evaluator: Evaluator, depth: int, owner: Dict, key: Value, default: Value = _NONE, /
) -> Value:
    plain = plain_key(evaluator, key)
    entries = evaluator.trace.entries(owner)
    if plain not in entries:
        evaluator.trace.touch()
        entries[plain] = default
        evaluator.trace.effects.set_item(owner, key, default)
    return entries[plain]


@builtin
def _pop(
    evaluator: Evaluator, depth: int, owner: Dict, key: Value, default: Value | None = None, /
) -> Value:
    plain = plain_key(evaluator, key)
    entries = evaluator.trace.entries(owner)
    if plain not in entries:
        if default is not None:
            return default
        evaluator.raise_(KeyError(plain))
    evaluator.trace.removing(owner)
    evaluator.trace.effects.delete_item(owner, key)
    return entries.pop(plain)


@builtin
def _popitem(evaluator: Evaluator, depth: int, owner: Dict, /) -> Value:
    entries = evaluator.trace.entries(owner)
    if not entries:
        evaluator.raise_(KeyError(_EMPTY[owner.cls]))
    evaluator.trace.removing(owner)
    key, value = entries.popitem()
    evaluator.trace.effects.call(owner, owner.cls.popitem, [])  # type: ignore[attr-defined]
    return born_now(evaluator, Tuple([Const(key), value]))


_EMPTY: dict[type, str] = {
    dict: "popitem(): dictionary is empty",
    collections.OrderedDict: "dictionary is empty",
}


@builtin
def _move_to_end(
    evaluator: Evaluator, depth: int, owner: Dict, key: Value, /, last: Value = _TRUE
) -> Value:
    plain = plain_key(evaluator, key)
    at_end = known(evaluator, last, "last")
    entries = evaluator.trace.entries(owner)
    if plain not in entries:
        raise Break("move_to_end() of a key that is not there")
    evaluator.trace.touch()
    moved = collections.OrderedDict(entries)
    moved.move_to_end(plain, at_end)
    owner.items = dict(moved)
    evaluator.trace.effects.call(owner, collections.OrderedDict.move_to_end, [key, last])
    return Const(None)


@builtin
def _update(
    evaluator: Evaluator,
    depth: int,
    owner: Dict,
    other: Value | None = None,
    /,
    **keywords: Value,
) -> Value:
    if other is not None:
        update(evaluator, owner, entries_of(evaluator, other, depth))
    update(evaluator, owner, keywords.items())
    return Const(None)


@builtin
def _copy(evaluator: Evaluator, depth: int, owner: Dict, /) -> Value:
    return born_now(evaluator, Dict(dict(evaluator.trace.entries(owner)), owner.cls))


def _view(kind: str) -> Call:
    # A view is not kept as one: what it is used for at once is going over it.
    @builtin
    def view(evaluator: Evaluator, depth: int, owner: Dict, /) -> Value:
        keys = [key_of(key) for key in evaluator.trace.entries(owner)]
        over = [owner, keys] if kind == "keys" else [owner, keys, kind]
        return evaluator.born(Iterator("view", over))

    return view


_OF_BOTH: dict[str, Call] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "popitem": _popitem,
    "update": _update,
    "clear": clear,
    "copy": _copy,
    "keys": _view("keys"),
    "values": _view("values"),
    "items": _view("items"),
}
METHODS: dict[type, dict[str, Call]] = {
    dict: _OF_BOTH,
    collections.OrderedDict: {**_OF_BOTH, "move_to_end": _move_to_end},
}
