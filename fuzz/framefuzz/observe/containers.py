"""Builtin and standard containers, in their own order; sets in a canonical one."""

from __future__ import annotations

import collections
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

    Members that look alike (two bare instances of a class) cannot be told apart by a rule that
    holds from run to run, so those are described without numbering them.
    """
    # A fresh snapshot numbers from nothing, so the sort key does not depend on set order.
    described = [(item, type(snap)().node(item)) for item in items]
    texts = [flat_text(node) for _, node in described]
    parts: Parts = []
    for text, (item, alone) in sorted(zip(texts, described, strict=True), key=lambda pair: pair[0]):
        node = snap.node(item) if texts.count(text) == 1 else alone
        parts.append((f"{{{len(parts)}}}", node))
    return parts


def flat_text(node: Node) -> str:
    """A node and all below it in one line of unambiguous text."""
    inside = ",".join(f"{edge}:{flat_text(child)}" for edge, child in node.parts)
    bits = "" if node.tensor is None else node.tensor.data.hex()
    return f"{node.kind}#{'' if node.number is None else node.number}({node.text}{bits}){inside}"


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
    return "", mapping(snap, dict(value).items())


# How each container's contents are reached; also serves subclasses (instances.py), whose own
# __iter__ or __getitem__ must not run.
CONTENTS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    collections.OrderedDict: lambda snap, value: (
        "",
        # The order of an OrderedDict is its own linked list, not that of the dict below it.
        mapping(snap, collections.OrderedDict.items(value)),
    ),
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
    str: lambda snap, value: (str.__repr__(value), []),
}

DESCRIBERS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    **{kind: CONTENTS[kind] for kind in CONTENTS if kind not in (int, float, str)},
    torch.Size: CONTENTS[tuple],
    slice: _slice,
    types.MappingProxyType: _proxy,
    types.SimpleNamespace: lambda snap, value: ("", mapping(snap, value.__dict__.items())),
    type({}.keys()): lambda snap, value: ("", sequence(snap, value)),
    type({}.values()): lambda snap, value: ("", sequence(snap, value)),
    type({}.items()): lambda snap, value: ("", sequence(snap, value)),
}
