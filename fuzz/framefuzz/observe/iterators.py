"""Iterators and generators: where they stand, read without advancing them.

A builtin iterator's ``__reduce__`` gives what it runs over and how far it is, and consumes
nothing (CPython, Objects/listobject.c and Modules/itertoolsmodule.c).
"""

from __future__ import annotations

import collections
import gc
import inspect
import itertools
import sys
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from framefuzz.observe.containers import attributes
from framefuzz.observe.instances import OPAQUE
from framefuzz.observe.ownership import is_own_module

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
    iter("\u0100"),  # CPython 3.12 has another iterator for pure ASCII
    reversed([]),
    reversed({}),
    reversed({}.values()),
    reversed({}.items()),
    iter(int, 1),
    iter(collections.deque()),
    reversed(collections.deque()),
    iter(collections.OrderedDict()),
    itertools.tee(())[0],
]
_OF_ITERTOOLS = (
    "accumulate",
    "chain",
    "combinations",
    "combinations_with_replacement",
    "compress",
    "count",
    "cycle",
    "dropwhile",
    "filterfalse",
    "groupby",
    "islice",
    "permutations",
    "product",
    "repeat",
    "starmap",
    "takewhile",
    "zip_longest",
    "_tee_dataobject",
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
    try:
        with warnings.catch_warnings():
            # itertools warns since CPython 3.12 that its __reduce__ will go.
            warnings.simplefilter("ignore", DeprecationWarning)
            state = value.__reduce__()
    except (RuntimeError, TypeError):
        # A dict or a set has changed its size since; or CPython 3.14, where itertools has none.
        return OPAQUE, []
    # The first item is the constructor: iter, reversed or the type itself.
    return "", [(f"state {index}", snap.node(part)) for index, part in enumerate(state[1:])]


def _pairwise(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # It has no __reduce__; it refers to what it runs over and to the last item.
    held = gc.get_referents(value)[:2]
    return "", [(f"state {index}", snap.node(part)) for index, part in enumerate(held)]


def _generator(snap: Snapshot, value: types.GeneratorType[Any, Any, Any]) -> tuple[str, Parts]:
    state = inspect.getgeneratorstate(value)
    return _suspended(snap, value.gi_code, state, value.gi_frame, value.gi_yieldfrom)


def _coroutine(snap: Snapshot, value: types.CoroutineType[Any, Any, Any]) -> tuple[str, Parts]:
    state = inspect.getcoroutinestate(value)
    return _suspended(snap, value.cr_code, state, value.cr_frame, value.cr_await)


def _async_generator(
    snap: Snapshot, value: types.AsyncGeneratorType[Any, Any]
) -> tuple[str, Parts]:
    state = "AGEN_CLOSED" if value.ag_frame is None else "AGEN_OPEN"
    return _suspended(snap, value.ag_code, state, value.ag_frame, value.ag_await)


def _suspended(
    snap: Snapshot,
    code: types.CodeType,
    state: str,
    frame: types.FrameType | None,
    waits_for: Any,
) -> tuple[str, Parts]:
    """A suspended frame: what it is called, where it stands and what it holds.

    A library's is described by its line and its name; while it runs nothing of it is read.
    """
    text = f"{code.co_name} {state}"
    if frame is None or state.endswith(("_RUNNING", "_CLOSED")):
        return text, []
    # Lines from the function's first: where a program stands in its file is no state of it.
    text += f" at line +{(frame.f_lineno or code.co_firstlineno) - code.co_firstlineno}"
    if not is_own_module(frame.f_globals.get("__name__")):
        return text, []
    held = frame.f_locals
    parts = attributes(snap, list(held.items()))
    if sys.version_info < (3, 13):
        # The frame would keep this dict, and with it what the generator has since let go of.
        held.clear()
    if waits_for is not None:
        parts.append(("()", snap.node(waits_for)))
    return text, parts


DESCRIBERS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    **dict.fromkeys(_REDUCIBLE, _reduced),
    itertools.pairwise: _pairwise,
    types.GeneratorType: _generator,
    types.CoroutineType: _coroutine,
    types.AsyncGeneratorType: _async_generator,
}
