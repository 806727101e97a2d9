"""Instances, classes and whatever no table knows, read through descriptors of builtin types."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import torch

from framefuzz.observe.callables import COMPILER_MARKS
from framefuzz.observe.containers import CONTENTS, sequence
from framefuzz.observe.ownership import is_own_class

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

_class_dict = type.__dict__["__dict__"].__get__
_args = vars(BaseException)["args"].__get__
_class_mro = type.__dict__["__mro__"].__get__

# What every class has, and what says nothing of the program's state.
_CLASS_BOILERPLATE = frozenset(
    {
        "__module__",
        "__dict__",
        "__weakref__",
        "__doc__",
        "__qualname__",
        "__firstlineno__",
        "__static_attributes__",
        "__annotations__",
        "__annotate__",
        "__match_args__",
        "__dataclass_fields__",
        "__dataclass_params__",
        "__abstractmethods__",
        "__orig_bases__",
        "__parameters__",
        "_abc_impl",
    }
)


def describe(snap: Snapshot, kind: type, value: Any) -> tuple[str, str, Parts]:
    """Kind, text and parts of a value that is neither a builtin's nor a tensor."""
    if issubclass(kind, type):
        return _describe_class(snap, value)
    name = class_name(kind)
    mro = _class_mro(kind)
    text = ""
    parts: Parts = []
    if BaseException in mro:
        parts += _exception_parts(snap, value)
        if not is_own_class(kind):
            return name, "", parts
    elif not _is_described(kind, mro):
        return name, "", []
    for base, contents in CONTENTS.items():
        if base in mro:
            text, parts = contents(snap, value)
            break
    attributes = instance_dict(value, mro)
    if attributes:
        parts += [
            (f".{key}", snap.node(attribute))
            for key, attribute in list(attributes.items())
            if not str.startswith(str(key), COMPILER_MARKS)
        ]
    parts += _slots(snap, value, mro)
    return name, text, parts


def class_name(kind: type) -> str:
    """A class's qualified name, as its type object holds it."""
    return str(type.__dict__["__qualname__"].__get__(kind))


def instance_dict(value: Any, mro: tuple[type, ...]) -> dict[str, Any] | None:
    """An instance's ``__dict__``, whatever its class makes of that name; None if it has none."""
    for base in mro:
        descriptor = _class_dict(base).get("__dict__")
        if type(descriptor) is types.GetSetDescriptorType:
            found = descriptor.__get__(value)
            return found if isinstance(found, dict) else None
    return None


def _is_described(kind: type, mro: tuple[type, ...]) -> bool:
    # A class deeper in the hierarchy counts: a library's subclass of the program's own class.
    return torch.nn.Module in mro or any(is_own_class(base) for base in mro[:-1])


def _slots(snap: Snapshot, value: Any, mro: tuple[type, ...]) -> Parts:
    parts: Parts = []
    for base in mro:
        if not is_own_class(base):
            continue
        for name, descriptor in _class_dict(base).items():
            if type(descriptor) is types.MemberDescriptorType:
                try:
                    parts.append((f".{name}", snap.node(descriptor.__get__(value))))
                except AttributeError:
                    continue
    return parts


def _exception_parts(snap: Snapshot, value: BaseException) -> Parts:
    parts = sequence(snap, _args(value))
    if value.__cause__ is not None:
        parts.append((".__cause__", snap.node(value.__cause__)))
    elif value.__context__ is not None and not value.__suppress_context__:
        parts.append((".__context__", snap.node(value.__context__)))
    return parts


def _describe_class(snap: Snapshot, kind: type) -> tuple[str, str, Parts]:
    name = class_name(kind)
    if not is_own_class(kind):
        return "type", f"{_class_dict(kind).get('__module__', 'builtins')}.{name}", []
    bases = ", ".join(class_name(base) for base in _class_mro(kind)[1:-1])
    parts = [
        (f".{key}", snap.node(attribute))
        for key, attribute in list(_class_dict(kind).items())
        if key not in _CLASS_BOILERPLATE
        and not key.startswith(COMPILER_MARKS)
        and type(attribute) is not types.MemberDescriptorType
    ]
    return "type", f"{name}({bases})", parts
