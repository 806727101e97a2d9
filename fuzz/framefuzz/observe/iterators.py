"""Iterators and generators: where they stand, read without advancing them.

A builtin iterator's ``__reduce__`` gives what it runs over and how far it is, and consumes
nothing (CPython, Objects/listobject.c and Modules/itertoolsmodule.c).
"""

from __future__ import annotations

import inspect
import itertools
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

_OF_BUILTINS: list[Any] = [
    iter([]),
    iter(()),
    iter(""),
    iter(b""),
    iter(bytearray()),
    iter(set()),
    iter({}),
    iter({}.values()),
    iter({}.items()),
    iter(range(0)),
    iter(range(1 << 70)),
    reversed([]),
    reversed({}),
]
_OF_ITERTOOLS = (
    "accumulate",
    "chain",
    "combinations",
    "compress",
    "count",
    "cycle",
    "dropwhile",
    "filterfalse",
    "islice",
    "permutations",
    "product",
    "repeat",
    "starmap",
    "takewhile",
    "zip_longest",
)
_REDUCIBLE: tuple[type, ...] = (
    *(type(iterator) for iterator in _OF_BUILTINS),
    *(getattr(itertools, name) for name in _OF_ITERTOOLS),
    enumerate,
    zip,
    map,
    filter,
    reversed,
)


def _reduced(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    with warnings.catch_warnings():
        # itertools warns since CPython 3.12 that its __reduce__ will go.
        warnings.simplefilter("ignore", DeprecationWarning)
        state = value.__reduce__()
    # The first item is the constructor: iter, reversed or the type itself.
    return "", [(f"state {index}", snap.node(part)) for index, part in enumerate(state[1:])]


def _generator(snap: Snapshot, value: types.GeneratorType[Any, Any, Any]) -> tuple[str, Parts]:
    return f"{value.gi_code.co_name} {inspect.getgeneratorstate(value)}", []


def _coroutine(snap: Snapshot, value: types.CoroutineType[Any, Any, Any]) -> tuple[str, Parts]:
    return f"{value.cr_code.co_name} {inspect.getcoroutinestate(value)}", []


DESCRIBERS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    **dict.fromkeys(_REDUCIBLE, _reduced),
    types.GeneratorType: _generator,
    types.CoroutineType: _coroutine,
}
