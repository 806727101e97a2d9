"""Instances, classes and whatever no table knows, read through descriptors of builtin types."""

from __future__ import annotations

import argparse
import collections
import ctypes
import enum
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from framefuzz.observe.callables import type_name
from framefuzz.observe.containers import CONTENTS, attributes, sequence
from framefuzz.observe.ownership import is_own_class, is_subtype
from framefuzz.trace import Node

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

# What stands in place of the state of a library's object.  Two of these may differ unseen.
OPAQUE = "not looked into"

_class_dict = type.__dict__["__dict__"].__get__
_class_mro = type.__dict__["__mro__"].__get__
_class_bases = type.__dict__["__bases__"].__get__
# Of a C type it is no entry of its dict, but part of its name.
_class_module = type.__dict__["__module__"].__get__
_args = vars(BaseException)["args"].__get__
_cause = vars(BaseException)["__cause__"].__get__
_context = vars(BaseException)["__context__"].__get__
_suppress_context = vars(BaseException)["__suppress_context__"].__get__
# What "obj.__dict__" calls unless a class has put something else under that name
# (CPython, Objects/typeobject.c, subtype_dict).
_generic_dict = ctypes.pythonapi.PyObject_GenericGetDict
_generic_dict.restype = ctypes.py_object

# Libraries' classes whose instances hold the program's state in plain attributes.
_TRANSPARENT: tuple[type, ...] = (
    torch.nn.Module,
    argparse.Namespace,
    collections.ChainMap,
    collections.UserDict,
    collections.UserList,
    collections.UserString,
)
# Modules whose objects are constants, as good as their names.
_CONSTANTS = frozenset({"__future__", "abc", "typing", "types"})

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
# What enum keeps in a member beside its name and value.
_MEMBER_BOILERPLATE = frozenset({"_name_", "__objclass__", "_sort_order_"})


def describe(snap: Snapshot, kind: type, value: Any) -> tuple[str, str, Parts]:
    """Kind, text and parts of a value that is neither a builtin's nor a tensor."""
    # Types are compared by identity throughout: a metaclass can have an __eq__ and a __hash__.
    if is_subtype(type, kind):
        return _describe_class(snap, value)
    name = type_name(kind)
    if is_subtype(enum.Enum, kind):
        return name, *_member(snap, kind, value)
    text = ""
    parts: Parts = []
    if is_subtype(BaseException, kind):
        parts += _exception_parts(snap, value)
        if not is_own_class(kind):
            # What else stands in a library's exception was put there by whoever passed it on.
            notes = instance_dict(value).get("__notes__")
            return name, "", parts if notes is None else [*parts, (".__notes__", snap.node(notes))]
    elif not _is_transparent(kind):
        return name, "" if _class_module(kind) in _CONSTANTS else OPAQUE, []
    for base, contents in CONTENTS.items():
        if is_subtype(base, kind):
            text, parts = contents(snap, value)
            break
    return name, text, [*parts, *own_attributes(snap, kind, value)]


def _is_transparent(kind: type) -> bool:
    # A class deeper in the hierarchy counts: a library's subclass of the program's own class.
    return any(is_own_class(base) for base in _class_mro(kind)[:-1]) or any(
        is_subtype(base, kind) for base in _TRANSPARENT
    )


def own_attributes(snap: Snapshot, kind: type, value: Any) -> Parts:
    """What an instance holds beside its contents: attributes, slots, its class.

    The class is the program's state where the program made it.
    """
    held = instance_dict(value).items()
    parts = _module(snap, held) if is_subtype(torch.nn.Module, kind) else attributes(snap, held)
    parts += _slots(snap, value, _class_mro(kind))
    if not snap.is_brief and is_own_class(kind):
        parts.append((".__class__", snap.node(kind)))
    return parts


def _module(snap: Snapshot, held: Iterable[tuple[Any, Any]]) -> Parts:
    """A module's attributes; of its hooks without their numbers, which count over all modules."""
    parts: Parts = []
    for name, value in held:
        if type(name) is str and "_hooks" in name and is_subtype(dict, type(value)):
            parts.append((f".{name}", Node("hooks", "", None, tuple(_hooks(snap, value)))))
        else:
            parts += attributes(snap, [(name, value)])
    return parts


def _hooks(snap: Snapshot, value: Any) -> Parts:
    return sequence(snap, dict.values(value))


def instance_dict(value: Any) -> dict[str, Any]:
    """An instance's ``__dict__``, whatever its class makes of that name; empty if it has none."""
    try:
        # Wrapped by hand: ctypes would ask the value itself for its _as_parameter_.
        found: dict[str, Any] = _generic_dict(ctypes.py_object(value), None)
    except AttributeError:
        return {}
    return found


def _member(snap: Snapshot, kind: type, value: Any) -> tuple[str, Parts]:
    """A member of an enumeration: its name, its value, and what else the program stored in it."""
    held = instance_dict(value)
    name = held.get("_name_")
    rest = [(key, item) for key, item in held.items() if key not in _MEMBER_BOILERPLATE]
    parts = attributes(snap, rest)
    if not snap.is_brief and is_own_class(kind):
        parts.append((".__class__", snap.node(kind)))
    return name if type(name) is str else "", parts


def _slots(snap: Snapshot, value: Any, mro: tuple[type, ...]) -> Parts:
    parts: Parts = []
    for base in mro:
        if not is_own_class(base):
            continue
        for name, descriptor in _class_dict(base).items():
            if type(descriptor) is types.MemberDescriptorType:
                try:
                    parts.append((f".{name}", snap.node(descriptor.__get__(value))))
                except (AttributeError, TypeError):
                    # An empty slot, or another class's slot stored as an attribute.
                    continue
    return parts


def _exception_parts(snap: Snapshot, value: BaseException) -> Parts:
    parts = sequence(snap, _args(value))
    if (cause := _cause(value)) is not None:
        parts.append((".__cause__", snap.node(cause)))
    elif (context := _context(value)) is not None and not _suppress_context(value):
        parts.append((".__context__", snap.node(context)))
    return parts


def _describe_class(snap: Snapshot, kind: type) -> tuple[str, str, Parts]:
    name = type_name(kind)
    if not is_own_class(kind):
        return "type", f"{_class_module(kind)}.{name}", []
    held = [
        (key, attribute)
        for key, attribute in _class_dict(kind).items()
        if key not in _CLASS_BOILERPLATE and type(attribute) is not types.MemberDescriptorType
    ]
    parts = attributes(snap, held)
    parts += [
        (f".__bases__[{index}]", snap.node(base))
        for index, base in enumerate(_class_bases(kind))
        if is_own_class(base)
    ]
    if type(kind) is not type:
        parts.append((".__class__", snap.node(type(kind))))
    bases = ", ".join(type_name(base) for base in _class_mro(kind)[1:-1])
    return "type", f"{name}({bases})", parts


def is_opaque(node: Node) -> bool:
    """Whether part of what the node describes was not looked at: it may have changed unseen."""
    if node.text == OPAQUE or node.kind in ("deeper", "more"):
        return True
    return any(is_opaque(child) for _, child in node.parts)
