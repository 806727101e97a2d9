"""Classes and attributes of objects, asked by a builtin."""

from __future__ import annotations

from typing import Any

import torch

from framejit import attributes
from framejit.evaluator import Evaluator
from framejit.known import known
from framejit.signatures import Call, builtin
from framejit.stops import Break, Raised
from framejit.values import (
    Const,
    Container,
    Exception_,
    Function,
    Instance,
    Known,
    Method,
    Number,
    Opaque,
    Tensor,
    Tuple,
    Value,
    class_of,
)


@builtin
def _isinstance(evaluator: Evaluator, depth: int, instance: Value, cls: Value, /) -> Value:
    value = evaluator.look(instance)
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
        if isinstance(value, (Instance, Opaque)) and not issubclass(of, classes):
            if attributes.in_class(of, "__class__") is not vars(object)["__class__"]:
                raise Break("isinstance() of an instance that says otherwise")
        return Const(issubclass(of, classes))
    except TypeError as error:
        evaluator.raise_(error)


@builtin
def _type(evaluator: Evaluator, depth: int, instance: Value, /) -> Value:
    value = evaluator.look(instance)
    if isinstance(value, Instance):
        return attributes.class_value(evaluator, value)
    cls = class_of(value)
    if cls is None:
        raise Break(f"type() of {type(value).__name__.lower()}")
    if isinstance(value, (Tuple, Exception_)) and cls.__module__ != "builtins":
        raise Break("type() of an instance of a class that is not found")
    return Known(None, cls)


@builtin
def _callable(evaluator: Evaluator, depth: int, instance: Value, /) -> Value:
    value = evaluator.look(instance)
    if isinstance(value, (Function, Method)):
        return Const(True)
    if isinstance(value, (Const, Number, Container, Tensor)):
        return Const(False)
    raise Break("callable()")


@builtin
def _getattr(
    evaluator: Evaluator,
    depth: int,
    owner: Value,
    name: Value,
    default: Value | None = None,
    /,
) -> Value:
    try:
        return attributes.get(evaluator, owner, _name(evaluator, name), depth)
    except Raised as raised:
        if default is None or not _is_missing(raised):
            raise
        return default


@builtin
def _hasattr(evaluator: Evaluator, depth: int, instance: Value, name: Value, /) -> Value:
    owner = evaluator.look(instance)
    if not isinstance(owner, Instance):
        raise Break(f"hasattr() of {type(owner).__name__.lower()}")
    try:
        attributes.get(evaluator, owner, _name(evaluator, name), depth)
    except Raised as raised:
        if not _is_missing(raised):
            raise
        return Const(False)
    return Const(True)


def _is_missing(raised: Raised) -> bool:
    value = raised.value
    return isinstance(value, Exception_) and issubclass(value.cls, AttributeError)


def _name(evaluator: Evaluator, name: Value) -> str:
    found = known(evaluator, name, "attribute name")
    if type(found) is not str:
        raise Break("attribute name that is no string")
    return found


@builtin
def _setattr(
    evaluator: Evaluator, depth: int, instance: Value, name: Value, value: Value, /
) -> Value:
    owner = evaluator.look(instance)
    attributes.set_(evaluator, owner, _name(evaluator, name), value, depth)
    return Const(None)


@builtin
def _object_setattr(
    evaluator: Evaluator, depth: int, instance: Value, name: Value, value: Value, /
) -> Value:
    owner = evaluator.look(instance)
    plain = _name(evaluator, name)
    if not isinstance(owner, Instance) or owner.origin is not None:
        raise Break("object.__setattr__")
    found = attributes.in_class(owner.cls, plain)
    if hasattr(type(found), "__set__"):
        raise Break("object.__setattr__ of a descriptor")
    evaluator.trace.touch()
    evaluator.trace.effects.set_attribute(owner, plain, value)
    return Const(None)


CALLS: dict[Any, Call] = {
    isinstance: _isinstance,
    type: _type,
    callable: _callable,
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    object.__setattr__: _object_setattr,
}
