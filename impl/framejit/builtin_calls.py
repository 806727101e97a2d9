"""Builtin functions and classes, called."""

from __future__ import annotations

import collections
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from framejit import attributes, subscripts
from framejit.calls import call
from framejit.evaluator import Evaluator
from framejit.iteration import drained, iterate, next_of, next_or_stop
from framejit.known import born_now, check_own_set, fold, has_set, known
from framejit.sequences import items_of, plain_key
from framejit.stops import Break, Exhausted, Raised
from framejit.tensors import sizes_of
from framejit.truth import truth
from framejit.values import (
    Const,
    Dict,
    Exception_,
    Function,
    Generator,
    Instance,
    Iterator,
    Known,
    List,
    Method,
    NotConstant,
    Number,
    Set,
    Tensor,
    Tuple,
    Value,
)

Call = Callable[[Evaluator, list[Value], dict[str, Value], int], Value]


def _folding(function: Callable[..., Any]) -> Call:
    """A pure function, called now if its arguments are known."""

    def folding(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        if function in _SHOWING:
            _check_shown(evaluator, arguments)
        try:
            return fold(evaluator, function, arguments, keywords)
        except NotConstant as error:
            name = getattr(function, "__name__", str(function))
            raise Break(f"{name}() of {error}, whose value is not known") from None

    return folding


_SHOWING = (str, repr, format)


def _check_shown(evaluator: Evaluator, arguments: list[Value]) -> None:
    for argument in arguments:
        value = evaluator.look(argument)
        if isinstance(value, Known) or has_set(evaluator, value):
            raise Break("text of what has an address or an order that is not known")


def _plain(count: int) -> Callable[[Callable[..., Value]], Call]:
    """A function of so many positional arguments."""

    def decorated(function: Callable[..., Value]) -> Call:
        @functools.wraps(function)
        def checked(
            evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
        ) -> Value:
            if len(arguments) != count or keywords:
                raise Break(f"{function.__name__.strip('_')}() with arguments that do not fit")
            return function(evaluator, *[evaluator.look(a) for a in arguments], depth)

        return checked

    return decorated


@_plain(1)
def _len(evaluator: Evaluator, value: Value, depth: int) -> Value:
    trace = evaluator.trace
    if isinstance(value, (List, Tuple)):
        return Const(len(items_of(evaluator, value)))
    if isinstance(value, Dict):
        return Const(len(trace.entries(value)))
    if isinstance(value, Set):
        return Const(len(trace.members(value)))
    if isinstance(value, Tensor):
        if value.fake.dim() == 0:
            raise Break("len() of a tensor without dimensions")
        return sizes_of(evaluator, value)[0]
    if isinstance(value, Iterator) and value.kind == "view":
        return Const(len(trace.entries(value.over[0])))
    if isinstance(value, Const):
        return fold(evaluator, len, [value])
    if isinstance(value, Instance):
        method = attributes.special(evaluator, value, "__len__")
        if method is not None:
            return Const(known(evaluator, call(evaluator, method, [], {}, depth), "length"))
    raise Break(f"len() of {type(value).__name__.lower()}")


@_plain(1)
def _iter(evaluator: Evaluator, value: Value, depth: int) -> Value:
    return iterate(evaluator, value, depth)


def _next(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    if keywords or not 1 <= len(arguments) <= 2:
        raise Break("next() with arguments that do not fit")
    if len(arguments) == 1:
        return next_or_stop(evaluator, arguments[0], depth)
    try:
        return next_of(evaluator, arguments[0], depth)
    except Exhausted:
        return arguments[1]


def _list(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    _fits(arguments, keywords, 1)
    items = drained(evaluator, arguments[0], depth) if arguments else []
    return born_now(evaluator, List(items))


def _tuple(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    _fits(arguments, keywords, 1)
    if arguments:
        value = evaluator.look(arguments[0])
        if isinstance(value, Tuple) and value.cls is tuple:
            return value
        return born_now(evaluator, Tuple(drained(evaluator, value, depth)))
    return Tuple([])


def _set(cls: type) -> Call:
    def make(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        _fits(arguments, keywords, 1)
        if not arguments:
            return born_now(evaluator, Set(set(), cls))
        value = evaluator.look(arguments[0])
        if isinstance(value, Set):
            check_own_set(value)
            return born_now(evaluator, Set(set(evaluator.trace.members(value)), cls))
        members = [plain_key(evaluator, item) for item in drained(evaluator, value, depth)]
        return born_now(evaluator, Set(set(members), cls))

    return make


def _dict(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    made = Dict({})
    assert made.items is not None
    if len(arguments) > 1:
        raise Break("dict() with arguments that do not fit")
    for argument in arguments:
        value = evaluator.look(argument)
        if isinstance(value, Dict):
            made.items.update(evaluator.trace.entries(value))
            continue
        for pair in drained(evaluator, value, depth):
            key, item = drained(evaluator, pair, depth)
            made.items[plain_key(evaluator, key)] = item
    made.items.update(keywords)
    return born_now(evaluator, made)


def _deque(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    limit = keywords.get("maxlen", arguments[1] if len(arguments) > 1 else Const(None))
    maxlen = known(evaluator, limit, "maxlen")
    items = drained(evaluator, arguments[0], depth) if arguments else []
    if maxlen is not None:
        items = items[len(items) - maxlen :] if len(items) > maxlen else items
    made = List(items, collections.deque, maxlen=maxlen)
    return born_now(evaluator, made)


def _fits(arguments: list[Value], keywords: dict[str, Value], most: int) -> None:
    if keywords or len(arguments) > most:
        raise Break("call with arguments that do not fit")


def _zip(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    if keywords:
        raise Break("zip() with keywords")
    over = [iterate(evaluator, value, depth) for value in arguments]
    return born_now(evaluator, Iterator("zip", over))


def _enumerate(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    start = keywords.get("start", arguments[1] if len(arguments) > 1 else Const(0))
    over = iterate(evaluator, arguments[0], depth)
    return born_now(evaluator, Iterator("enumerate", [over, known(evaluator, start, "start")]))


def _map(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    over = [iterate(evaluator, value, depth) for value in arguments[1:]]
    return born_now(evaluator, Iterator("map", over, arguments[0]))


@_plain(2)
def _filter(evaluator: Evaluator, function: Value, value: Value, depth: int) -> Value:
    over = iterate(evaluator, value, depth)
    return born_now(evaluator, Iterator("filter", [over], function))


@_plain(1)
def _reversed(evaluator: Evaluator, value: Value, depth: int) -> Value:
    if isinstance(value, (List, Tuple)):
        items = list(reversed(items_of(evaluator, value)))
        return born_now(evaluator, Iterator("reversed", [value, items]))
    if isinstance(value, Const) and isinstance(value.value, range):
        return born_now(evaluator, Iterator("range", [Const(value.value[::-1])]))
    raise Break(f"reversed() of {type(value).__name__.lower()}")


def _sum(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    from framejit.opcodes.operators import binary

    others = {name: value for name, value in keywords.items() if name != "start"}
    _fits(arguments, others, 2)
    total = keywords.get("start", arguments[1] if len(arguments) > 1 else Const(0))
    if class_of(evaluator.look(total)) in (str, bytes):
        raise Break("sum() of strings")
    for value in drained(evaluator, arguments[0], depth):
        total = binary(evaluator, operator.add, total, value, depth)
    return total


def _quantifier(wanted: bool) -> Call:
    def quantify(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        _fits(arguments, keywords, 1)
        iterator = iterate(evaluator, arguments[0], depth)
        while True:
            try:
                value = next_of(evaluator, iterator, depth)
            except Exhausted:
                return Const(not wanted)
            if truth(evaluator, value) is wanted:
                return Const(wanted)

    return quantify


def _extreme(function: Callable[..., Any]) -> Call:
    def extreme(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        if "key" in keywords:
            raise Break(f"{function.__name__}() with a key")
        default = keywords.get("default")
        values = arguments if len(arguments) > 1 else drained(evaluator, arguments[0], depth)
        if not values and default is not None:
            return default
        try:
            return fold(evaluator, function, [Tuple(list(values))])
        except NotConstant as error:
            raise Break(f"{function.__name__}() of {error}") from None

    return extreme


def _sorted(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    if "key" in keywords:
        raise Break("sorted() with a key")
    value = evaluator.look(arguments[0])
    if isinstance(value, Set):
        source: Value = value
    else:
        source = Tuple(drained(evaluator, value, depth))
    return _folding(sorted)(evaluator, [source], keywords, depth)


@_plain(2)
def _isinstance(evaluator: Evaluator, value: Value, cls: Value, depth: int) -> Value:
    classes = known(evaluator, cls, "class")
    of = class_of(value)
    if of is None:
        raise Break(f"isinstance() of {type(value).__name__.lower()}")
    for one in classes if isinstance(classes, tuple) else (classes,):
        if (
            type(one) is not type
            and one is not torch.Tensor
            and type(one) is not type(torch.Tensor)
        ):
            raise Break("isinstance() with a class that may decide itself")
    try:
        if isinstance(value, Instance) and not issubclass(of, classes):
            if attributes.in_class(of, "__class__") is not vars(object)["__class__"]:
                raise Break("isinstance() of an instance that says otherwise")
        return Const(issubclass(of, classes))
    except TypeError as error:
        evaluator.raise_(error)


def class_of(value: Value) -> type | None:
    """A value's class, None if it is not known."""
    if isinstance(value, Const):
        return type(value.value)
    if isinstance(value, Number):
        return type(value.example)
    if isinstance(value, Tensor):
        like = value.fake if value.real is None else value.real
        is_parameter = isinstance(like, torch.nn.Parameter)
        parameter: type = torch.nn.Parameter
        return parameter if is_parameter else torch.Tensor
    if isinstance(value, (Tuple, List, Dict, Set, Instance, Exception_)):
        return value.cls
    if isinstance(value, Function):
        return type(class_of)
    if isinstance(value, Known):
        return type(value.real)
    if isinstance(value, Generator):
        return type(_ for _ in ())
    return None


def _type(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    _fits(arguments, keywords, 1)
    value = evaluator.look(arguments[0])
    if isinstance(value, Instance):
        return attributes.class_value(evaluator, value)
    cls = class_of(value)
    if cls is None:
        raise Break(f"type() of {type(value).__name__.lower()}")
    if isinstance(value, (Tuple, Exception_)) and cls.__module__ != "builtins":
        raise Break("type() of an instance of a class that is not found")
    return Known(None, cls)


def _callable(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    _fits(arguments, keywords, 1)
    value = evaluator.look(arguments[0])
    if isinstance(value, (Function, Method)):
        return Const(True)
    if isinstance(value, (Const, Number, List, Dict, Set, Tensor)):
        return Const(False)
    raise Break("callable()")


def _getattr(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    name = known(evaluator, arguments[1], "attribute name")
    if len(arguments) == 2:
        return attributes.get(evaluator, arguments[0], name, depth)
    try:
        return attributes.get(evaluator, arguments[0], name, depth)
    except Raised as raised:
        if isinstance(raised.value, Exception_) and raised.value.cls is AttributeError:
            return arguments[2]
        raise


@_plain(2)
def _hasattr(evaluator: Evaluator, owner: Value, name: Value, depth: int) -> Value:
    if not isinstance(owner, Instance):
        raise Break(f"hasattr() of {type(owner).__name__.lower()}")
    try:
        attributes.get(evaluator, owner, known(evaluator, name, "attribute name"), depth)
    except Raised as raised:
        if isinstance(raised.value, Exception_) and raised.value.cls is AttributeError:
            return Const(False)
        raise
    return Const(True)


@_plain(3)
def _setattr(evaluator: Evaluator, owner: Value, name: Value, value: Value, depth: int) -> Value:
    attributes.set_(evaluator, owner, known(evaluator, name, "attribute name"), value, depth)
    return Const(None)


@_plain(3)
def _object_setattr(
    evaluator: Evaluator, owner: Value, name: Value, value: Value, depth: int
) -> Value:
    plain = known(evaluator, name, "attribute name")
    if not isinstance(owner, Instance) or owner.origin is not None:
        raise Break("object.__setattr__")
    found = attributes.in_class(owner.cls, plain)
    if hasattr(type(found), "__set__"):
        raise Break("object.__setattr__ of a descriptor")
    evaluator.trace.touch()
    evaluator.trace.effects.set_attribute(owner, plain, value)
    return Const(None)


def _number(cls: type) -> Call:
    def convert(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        if len(arguments) == 1 and not keywords:
            value = evaluator.look(arguments[0])
            if isinstance(value, Tensor):
                raise Break(f"{cls.__name__}() of a tensor, which is its data")
            if isinstance(value, Number) and type(value.example) is cls:
                return value
            if cls is bool:
                return Const(truth(evaluator, value))
        return _folding(cls)(evaluator, arguments, keywords, depth)

    return convert


def _reduce(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    values = drained(evaluator, arguments[1], depth)
    if len(arguments) > 2:
        values.insert(0, arguments[2])
    if not values or keywords:
        raise Break("reduce() of nothing")
    total = values[0]
    for value in values[1:]:
        total = call(evaluator, arguments[0], [total, value], {}, depth)
    return total


def _operator(function: Callable[..., Any]) -> Call:
    def operate(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        from framejit.opcodes.operators import binary, compare

        if len(arguments) != 2 or keywords:
            raise Break(f"operator.{function.__name__} with arguments that do not fit")
        is_comparison = function.__name__ in ("lt", "le", "eq", "ne", "gt", "ge")
        left, right = arguments
        operation = compare if is_comparison else binary
        return operation(evaluator, function, left, right, depth)

    return operate


def _getitem(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    container, key = (evaluator.look(argument) for argument in arguments)
    return subscripts.get(evaluator, container, key, depth)


def _abs(
    evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
) -> Value:
    value = evaluator.look(arguments[0])
    if isinstance(value, Tensor):
        return evaluator.trace.recorder.call("call_function", operator.abs, [value])
    return _folding(abs)(evaluator, arguments, keywords, depth)


BUILTINS: dict[Any, Call] = {
    len: _len,
    iter: _iter,
    next: _next,
    list: _list,
    tuple: _tuple,
    set: _set(set),
    frozenset: _set(frozenset),
    dict: _dict,
    collections.deque: _deque,
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
    isinstance: _isinstance,
    type: _type,
    callable: _callable,
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    object.__setattr__: _object_setattr,
    int: _number(int),
    float: _number(float),
    bool: _number(bool),
    str: _folding(str),
    abs: _abs,
    functools.reduce: _reduce,
    operator.getitem: _getitem,
}
_PURE: tuple[Callable[..., Any], ...] = (
    *(range, slice, repr, round, divmod, pow, ord, chr, hash, hex, bin, format, complex),
    *(math.sqrt, math.floor, math.ceil, math.isnan, math.isinf, math.prod, math.gcd, math.sin),
    *(math.cos, math.exp, math.log, math.pow, math.fabs, math.trunc, math.isclose),
)
BUILTINS.update({_function: _folding(_function) for _function in _PURE})
for _name in "add sub mul truediv floordiv mod lt le eq ne gt ge".split():
    BUILTINS[getattr(operator, _name)] = _operator(getattr(operator, _name))
