"""Builtin and standard containers, in their own order; sets in a canonical one."""

from __future__ import annotations

import collections
import gc
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import torch

from framefuzz.trace import Node

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

IMMUTABLE: frozenset[type] = frozenset(
    {tuple, frozenset, slice, torch.Size, types.MappingProxyType}
)


_default_factory: Any = vars(collections.defaultdict)["default_factory"].__get__
_maxlen: Any = vars(collections.deque)["maxlen"].__get__


def sequence(snap: Snapshot, items: Iterable[Any]) -> Parts:
    """Parts ``[0]``, ``[1]``, ... of the items in order."""
    return [(f"[{index}]", snap.node(item)) for index, item in enumerate(items)]


def mapping(snap: Snapshot, items: Iterable[tuple[Any, Any]]) -> Parts:
    """Parts of a mapping in its own order; a key that is no leaf is a part of its own."""
    parts: Parts = []
    for position, (key, value) in enumerate(items):
        described = snap.node(key)
        if described.parts or described.number is not None:
            parts.append((f"key {position}", described))
            parts.append((f"value {position}", snap.node(value)))
        else:
            edge = described.text if described.kind in _PLAIN_KEYS else str(flat_text(described))
            parts.append((f"[{edge}]", snap.node(value)))
    return parts


# Keys whose text alone tells their type: 1, True, 1.0 and '1' are all written differently.
_PLAIN_KEYS = {"int", "bool", "float", "str", "bytes", "NoneType"}


def members(snap: Snapshot, items: Iterable[Any]) -> Parts:
    """Parts of a set: iteration order says nothing, so members stand sorted by what they are.

    Members that look alike as far as a brief look tells (two bare instances of a class) cannot
    be told apart by a rule that holds from run to run: those are described by that look alone.
    """
    looks = [(item, snap.brief(item)) for item in items]
    texts = [flat_text(look) for _, look in looks]
    alike = collections.Counter(texts)
    parts: Parts = []
    for text, (item, look) in sorted(zip(texts, looks, strict=True), key=lambda pair: pair[0]):
        node = snap.node(item) if alike[text] == 1 else look
        parts.append((f"{{{len(parts)}}}", node))
    return parts


def attributes(snap: Snapshot, items: Iterable[tuple[Any, Any]]) -> Parts:
    """Parts ``.name`` of a namespace in its own order, what a compiler left there at the end.

    Of a compiler's mark only that it is there is said: its value is no part of the program.
    """
    parts: Parts = []
    marks: Parts = []
    for key, value in items:
        if type(key) is not str:
            parts += mapping(snap, [(key, value)])
        elif key.startswith(COMPILER_MARKS):
            marks.append((f".{key}", Node("mark")))
        else:
            parts.append((f".{key}", snap.node(value)))
    return parts + marks


# Compilers add resume functions, compiled graphs and the modules that guards refer to to a
# module; all begin like this.
COMPILER_GLOBALS = ("__", "torch_dynamo_resume")

# What compilers leave on the functions, classes, instances and tensors that they have seen.
COMPILER_MARKS = (
    "_torchdynamo",
    "_torch_dynamo",
    "_is_torch_compile",
    "_dynamo",
    "__compiled",
    "_framejit",
)


def flat_text(node: Node) -> str:
    """A node and all below it in one line of unambiguous text."""
    inside = ",".join(f"{edge}:{flat_text(child)}" for edge, child in node.parts)
    bits = "" if node.tensor is None else node.tensor.data.hex()
    return f"{node.kind}#{'' if node.number is None else node.number}({node.text}{bits}){inside}"


def _ordered(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    """An OrderedDict in the order of its own linked list, not that of the dict below it.

    Its iterators look each key up, which runs a ``__hash__`` of the program's: with keys other
    than plain ones the order is that of the dict.
    """
    if all(id(type(key)) in _HASHED_IN_C for key in dict.keys(value)):
        return "", mapping(snap, collections.OrderedDict.items(value))
    return "", mapping(snap, dict.items(value))


# By identity, since a metaclass can have a __hash__ too.
_HASHED_IN_C = frozenset(
    id(kind) for kind in (int, bool, float, complex, str, bytes, type(None), type(Ellipsis))
)


def _defaultdict(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # Straight from the slot: a subclass may define its own attribute of that name.
    factory = _default_factory(value)
    return "", [(".default_factory", snap.node(factory)), *mapping(snap, dict.items(value))]


def _deque(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    limit = _maxlen(value)
    return f"maxlen={limit}", sequence(snap, collections.deque.__iter__(value))


def _slice(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    return "", [
        (".start", snap.node(value.start)),
        (".stop", snap.node(value.stop)),
        (".step", snap.node(value.step)),
    ]


def _proxy(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # The mapping behind it may be one of the program's own, with methods of its own.
    behind = gc.get_referents(value)[0]
    return "", mapping(snap, dict.items(behind)) if type(behind) is dict else [
        ("()", snap.node(behind))
    ]


def _view(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # A view lives on its dict, so it is that very dict that tells two views apart.
    return "", [("()", snap.node(gc.get_referents(value)[0]))]


# How each container's contents are reached; also serves subclasses (instances.py), whose own
# __iter__ or __getitem__ must not run.
CONTENTS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    collections.OrderedDict: _ordered,
    collections.defaultdict: _defaultdict,
    collections.Counter: lambda snap, value: ("", mapping(snap, dict.items(value))),
    dict: lambda snap, value: ("", mapping(snap, dict.items(value))),
    list: lambda snap, value: ("", sequence(snap, list.__iter__(value))),
    tuple: lambda snap, value: ("", sequence(snap, tuple.__iter__(value))),
    set: lambda snap, value: ("", members(snap, set.__iter__(value))),
    frozenset: lambda snap, value: ("", members(snap, frozenset.__iter__(value))),
    collections.deque: _deque,
    bytearray: lambda snap, value: (bytearray.__repr__(value), []),
    int: lambda snap, value: (int.__repr__(value), []),
    float: lambda snap, value: (float.__repr__(value), []),
    complex: lambda snap, value: (complex.__repr__(value), []),
    str: lambda snap, value: (str.__repr__(value), []),
    bytes: lambda snap, value: (bytes.__repr__(value), []),
}
_LEAVES_OF_THEIR_OWN = (int, float, complex, str, bytes)

_NOTHING: list[dict[Any, Any]] = [{}, collections.OrderedDict()]
_VIEWS: list[type] = [
    type(view) for empty in _NOTHING for view in (empty.keys(), empty.values(), empty.items())
]

DESCRIBERS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    **{kind: CONTENTS[kind] for kind in CONTENTS if kind not in _LEAVES_OF_THEIR_OWN},
    torch.Size: CONTENTS[tuple],
    slice: _slice,
    types.MappingProxyType: _proxy,
    types.SimpleNamespace: lambda snap, value: ("", attributes(snap, value.__dict__.items())),
    **dict.fromkeys(_VIEWS, _view),
}
