"""Methods of lists, dicts, sets, strings, tuples and iterators, by name."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

from framejit.effects import key_of
from framejit.evaluator import Evaluator
from framejit.iteration import drained, next_or_stop
from framejit.known import born_now, fold, has_set, known, value_of
from framejit.sequences import extend, plain_key, update
from framejit.stops import Break
from framejit.values import (
    Const,
    Dict,
    Generator,
    Iterator,
    List,
    NotConstant,
    Set,
    Tuple,
    Value,
)

Method = Callable[[Evaluator, Any, list[Value], int], Value]


def call_method(
    evaluator: Evaluator,
    owner: Value,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    """``owner.name(...)`` for an owner whose class is written in C."""
    for cls, table in _TABLES:
        if isinstance(owner, cls) and name in table:
            if isinstance(owner, Dict) and name == "update":
                return _update(evaluator, owner, arguments, keywords, depth)
            if keywords and name != "sort":
                raise Break(f"method {name} with keywords")
            if name == "sort":
                return _sort(evaluator, owner, arguments, keywords)
            return table[name](evaluator, owner, arguments, depth)
    if isinstance(owner, (Const, Tuple)):
        return _of_constant(evaluator, owner, name, arguments, keywords)
    raise Break(f"method {name} of {type(owner).__name__.lower()}")


def _of_constant(
    evaluator: Evaluator,
    owner: Value,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> Value:
    if isinstance(owner, Tuple) and hasattr(owner.cls, "_fields"):
        return _of_named_tuple(evaluator, owner, name, arguments, keywords)

    def method(plain: Any, *values: Any, **named: Any) -> Any:
        return getattr(plain, name)(*values, **named)

    if name.startswith("__") and name not in ("__len__", "__getitem__", "__contains__"):
        raise Break(f"method {name}")
    if any(has_set(evaluator, value) for value in (*arguments, *keywords.values())):
        raise Break(f"method {name} with a set, whose order is not known")
    try:
        return fold(evaluator, method, [owner, *arguments], keywords)
    except NotConstant as error:
        raise Break(f"method {name} with {error}, whose value is not known") from None


def _of_named_tuple(
    evaluator: Evaluator,
    owner: Tuple,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> Value:
    fields: tuple[str, ...] = owner.cls._fields  # type: ignore[attr-defined]
    if name == "_replace" and not arguments and set(keywords) <= set(fields):
        if getattr(owner.cls._replace, "__module__", "").startswith(  # type: ignore[attr-defined]
            ("collections", "namedtuple_")
        ) or owner.cls._replace.__code__.co_filename.endswith(  # type: ignore[attr-defined]
            "collections/__init__.py"
        ):
            pairs = zip(fields, owner.items, strict=True)
            items = [keywords.get(field, item) for field, item in pairs]
            return evaluator.born(Tuple(items, owner.cls))
    if name == "_asdict" and not arguments and not keywords:
        return evaluator.born(Dict(dict(zip(fields, owner.items, strict=True))))
    raise Break(f"method {name} of a named tuple")


# Lists and deques


def _append(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    (value,) = _count(arguments, 1)
    evaluator.trace.touch()
    if owner.items is not None:
        owner.items.append(value)
        if owner.maxlen is not None and len(owner.items) > owner.maxlen:
            del owner.items[0]
    elif owner.cls is not list:
        evaluator.trace.items(owner)
        return _append(evaluator, owner, arguments, depth)
    evaluator.trace.effects.call(owner, owner.cls.append, [value])  # type: ignore[attr-defined]
    return Const(None)


def _extend(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    (values,) = _count(arguments, 1)
    extend(evaluator, owner, values, depth)
    return Const(None)


def _pop(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    index = known(evaluator, arguments[0], "index") if arguments else -1
    items = evaluator.trace.items(owner)
    if not items:
        evaluator.raise_(IndexError(_EMPTY[owner.cls]))
    if type(index) is not int or not -len(items) <= index < len(items):
        raise Break("index that is not there")
    evaluator.trace.touch()
    value = items.pop(index)
    evaluator.trace.effects.call(owner, owner.cls.pop, arguments)  # type: ignore[attr-defined]
    return value


_EMPTY: dict[type, str] = {
    list: "pop from empty list",
    collections.deque: "pop from an empty deque",
}


def _popleft(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    _count(arguments, 0)
    items = evaluator.trace.items(owner)
    if owner.cls is list:
        raise Break("popleft of a list")
    if not items:
        evaluator.raise_(IndexError("pop from an empty deque"))
    evaluator.trace.touch()
    value = items.pop(0)
    evaluator.trace.effects.call(owner, collections.deque.popleft, [])
    return value


def _appendleft(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    (value,) = _count(arguments, 1)
    if owner.cls is list or owner.maxlen is not None:
        raise Break("appendleft")
    items = evaluator.trace.items(owner)
    evaluator.trace.touch()
    items.insert(0, value)
    evaluator.trace.effects.call(owner, collections.deque.appendleft, [value])
    return Const(None)


def _insert(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    where, value = _count(arguments, 2)
    if owner.cls is not list:
        raise Break("insert into a deque")
    index = known(evaluator, where, "index")
    items = evaluator.trace.items(owner)
    evaluator.trace.touch()
    items.insert(index, value)
    evaluator.trace.effects.call(owner, list.insert, [where, value])
    return Const(None)


def _clear(evaluator: Evaluator, owner: Any, arguments: list[Value], depth: int) -> Value:
    _count(arguments, 0)
    trace = evaluator.trace
    if isinstance(owner, List):
        trace.items(owner)
    elif isinstance(owner, Dict):
        trace.entries(owner)
    else:
        trace.members(owner)
    trace.touch()
    owner.items.clear()
    trace.effects.call(owner, owner.cls.clear, [])
    return Const(None)


def _reverse(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    _count(arguments, 0)
    items = evaluator.trace.items(owner)
    evaluator.trace.touch()
    items.reverse()
    evaluator.trace.effects.call(owner, owner.cls.reverse, [])  # type: ignore[attr-defined]
    return Const(None)


def _remove(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    (value,) = _count(arguments, 1)
    plain = [known(evaluator, item, "comparison") for item in evaluator.trace.items(owner)]
    wanted = known(evaluator, value, "comparison")
    if wanted not in plain:
        text = "list.remove(x): x not in list"
        evaluator.raise_(
            ValueError(text if owner.cls is list else "deque.remove(x): x not in deque")
        )
    evaluator.trace.touch()
    del evaluator.trace.items(owner)[plain.index(wanted)]
    evaluator.trace.effects.call(owner, owner.cls.remove, [value])  # type: ignore[attr-defined]
    return Const(None)


def _copy_list(evaluator: Evaluator, owner: List, arguments: list[Value], depth: int) -> Value:
    _count(arguments, 0)
    made = List(list(evaluator.trace.items(owner)), owner.cls, maxlen=owner.maxlen)
    return born_now(evaluator, made)


def _folded(name: str) -> Method:
    """A method that changes nothing, on a container of constants."""

    def folded(evaluator: Evaluator, owner: Any, arguments: list[Value], depth: int) -> Value:
        method = getattr(owner.cls, name)
        try:
            return fold(evaluator, method, [owner, *arguments])
        except NotConstant as error:
            raise Break(f"method {name} with {error}, whose value is not known") from None

    return folded


def _sort(
    evaluator: Evaluator, owner: Any, arguments: list[Value], keywords: dict[str, Value]
) -> Value:
    items = evaluator.trace.items(owner)
    reverse = known(evaluator, keywords.pop("reverse", Const(False)), "reverse")
    if keywords or arguments:
        raise Break("sort with a key")
    plain = [known(evaluator, item, "sorting") for item in items]
    try:
        order = sorted(range(len(plain)), key=_key_at(plain), reverse=reverse)
    except TypeError:
        raise Break("sort of what has no order") from None
    evaluator.trace.touch()
    items[:] = [items[place] for place in order]
    evaluator.trace.effects.call(owner, functools.partial(list.sort, reverse=reverse), [])
    return Const(None)


def _key_at(plain: list[Any]) -> Callable[[int], Any]:
    return lambda place: plain[place]


# Dicts


def _get(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    found = evaluator.trace.entry(owner, key)
    if found is not None:
        return found
    return arguments[1] if len(arguments) > 1 else Const(None)


def _setdefault(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    entries = evaluator.trace.entries(owner)
    if key not in entries:
        evaluator.trace.touch()
        entries[key] = arguments[1] if len(arguments) > 1 else Const(None)
        evaluator.trace.effects.set_item(owner, arguments[0], entries[key])
    return entries[key]


def _pop_key(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    entries = evaluator.trace.entries(owner)
    if key not in entries:
        if len(arguments) > 1:
            return arguments[1]
        evaluator.raise_(KeyError(key))
    evaluator.trace.touch()
    evaluator.trace.effects.delete_item(owner, arguments[0])
    return entries.pop(key)


def _popitem(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
    if arguments:
        raise Break("popitem with an argument")
    entries = evaluator.trace.entries(owner)
    if not entries:
        evaluator.raise_(KeyError("popitem(): dictionary is empty"))
    evaluator.trace.touch()
    key, value = entries.popitem()
    evaluator.trace.effects.call(owner, owner.cls.popitem, [])  # type: ignore[attr-defined]
    return born_now(evaluator, Tuple([Const(key), value]))


def _move_to_end(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    last = known(evaluator, arguments[1], "last") if len(arguments) > 1 else True
    entries = evaluator.trace.entries(owner)
    if key not in entries or owner.cls is dict:
        raise Break("move_to_end")
    evaluator.trace.touch()
    moved = collections.OrderedDict(entries)
    moved.move_to_end(key, last)
    owner.items = dict(moved)
    evaluator.trace.effects.call(owner, collections.OrderedDict.move_to_end, arguments)
    return Const(None)


def _update(
    evaluator: Evaluator,
    owner: Dict,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    if len(arguments) > 1:
        raise Break("update with arguments that do not fit")
    for argument in arguments:
        other = evaluator.look(argument)
        if isinstance(other, Dict):
            update(evaluator, owner, evaluator.trace.entries(other))
        else:
            pairs = [drained(evaluator, pair, depth) for pair in drained(evaluator, other, depth)]
            if any(len(pair) != 2 for pair in pairs):
                raise Break("update with what are no pairs")
            update(evaluator, owner, {plain_key(evaluator, k): v for k, v in pairs})
    update(evaluator, owner, keywords)
    return Const(None)


def _copy_dict(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
    return born_now(evaluator, Dict(dict(evaluator.trace.entries(owner)), owner.cls))


def _view(kind: str) -> Method:
    # A view is not kept as one: what it is used for at once is going over it.
    def view(evaluator: Evaluator, owner: Dict, arguments: list[Value], depth: int) -> Value:
        keys = [key_of(key) for key in evaluator.trace.entries(owner)]
        over = [owner, keys] if kind == "keys" else [owner, keys, kind]
        return evaluator.born(Iterator("view", over))

    return view


# Sets


def _add(evaluator: Evaluator, owner: Set, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    members = evaluator.trace.members(owner)
    evaluator.trace.touch()
    members.add(key)
    evaluator.trace.effects.call(owner, set.add, arguments)
    return Const(None)


def _discard(evaluator: Evaluator, owner: Set, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    members = evaluator.trace.members(owner)
    evaluator.trace.touch()
    members.discard(key)
    evaluator.trace.effects.call(owner, set.discard, arguments)
    return Const(None)


def _discard_there(evaluator: Evaluator, owner: Set, arguments: list[Value], depth: int) -> Value:
    key = plain_key(evaluator, arguments[0])
    if key not in evaluator.trace.members(owner):
        evaluator.raise_(KeyError(key))
    return _discard(evaluator, owner, arguments, depth)


def _update_set(evaluator: Evaluator, owner: Set, arguments: list[Value], depth: int) -> Value:
    added = [
        plain_key(evaluator, value)
        for argument in arguments
        for value in _members(evaluator, argument, depth)
    ]
    members = evaluator.trace.members(owner)
    evaluator.trace.touch()
    for key in added:
        members.add(key)
        evaluator.trace.effects.call(owner, set.add, [Const(key)])
    return Const(None)


def _members(evaluator: Evaluator, value: Value, depth: int) -> list[Value]:
    value = evaluator.look(value)
    if isinstance(value, Set):
        return [value_of(member) for member in evaluator.trace.members(value)]
    return drained(evaluator, value, depth)


# Iterators


def _next(evaluator: Evaluator, owner: Value, arguments: list[Value], depth: int) -> Value:
    _count(arguments, 0)
    return next_or_stop(evaluator, owner, depth)


def _send(evaluator: Evaluator, owner: Generator, arguments: list[Value], depth: int) -> Value:
    (value,) = _count(arguments, 1)
    frame = owner.frame
    if frame.place == 0 or not frame.stack:
        raise Break("sending to a generator that has not begun")
    frame.stack[-1] = value
    return _next(evaluator, owner, [], depth)


def _count(arguments: list[Value], count: int) -> list[Value]:
    if len(arguments) != count:
        raise Break("method with arguments that do not fit")
    return arguments


_LISTS: dict[str, Method] = {
    "append": _append,
    "extend": _extend,
    "pop": _pop,
    "popleft": _popleft,
    "appendleft": _appendleft,
    "insert": _insert,
    "clear": _clear,
    "reverse": _reverse,
    "remove": _remove,
    "copy": _copy_list,
    "sort": _append,
    "index": _folded("index"),
    "count": _folded("count"),
}
_DICTS: dict[str, Method] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop_key,
    "popitem": _popitem,
    "move_to_end": _move_to_end,
    "update": _get,
    "clear": _clear,
    "copy": _copy_dict,
    "keys": _view("keys"),
    "values": _view("values"),
    "items": _view("items"),
}
_SETS: dict[str, Method] = {
    "add": _add,
    "discard": _discard,
    "remove": _discard_there,
    "update": _update_set,
    "clear": _clear,
    "union": _folded("union"),
    "intersection": _folded("intersection"),
    "difference": _folded("difference"),
    "symmetric_difference": _folded("symmetric_difference"),
    "issubset": _folded("issubset"),
    "issuperset": _folded("issuperset"),
    "isdisjoint": _folded("isdisjoint"),
    "copy": _folded("copy"),
}
_ITERATORS: dict[str, Method] = {"__next__": _next}
_GENERATORS: dict[str, Method] = {"__next__": _next, "send": _send}

_TABLES: tuple[tuple[type, dict[str, Method]], ...] = (
    (List, _LISTS),
    (Dict, _DICTS),
    (Set, _SETS),
    (Generator, _GENERATORS),
    (Iterator, _ITERATORS),
)
