"""Iterators and generators: described where they stand, and not advanced."""

from __future__ import annotations

import collections
import itertools
import operator
import re
from collections.abc import Callable
from typing import Any

import pytest
from describe import edges, node, own, text

from framefuzz.observe.instances import is_opaque

ITERATORS: dict[str, Callable[[], Any]] = {
    "list": lambda: iter([1, 2, 3]),
    "tuple": lambda: iter((1, 2, 3)),
    "str": lambda: iter("abc"),
    "dict": lambda: iter({"a": 1, "b": 2, "c": 3}),
    "items": lambda: iter({"a": 1, "b": 2, "c": 3}.items()),
    "OrderedDict": lambda: iter(collections.OrderedDict(a=1, b=2, c=3)),
    "set": lambda: iter({1, 2, 3}),
    "range": lambda: iter(range(3)),
    "deque": lambda: iter(collections.deque([1, 2, 3])),
    "reversed": lambda: reversed([1, 2, 3]),
    "reversed dict": lambda: reversed({"a": 1, "b": 2, "c": 3}),
    "enumerate": lambda: enumerate([1, 2, 3]),
    "zip": lambda: zip([1, 2, 3], "abc", strict=True),
    "map": lambda: map(abs, [1, 2, 3]),
    "filter": lambda: filter(None, [1, 2, 3]),
    "count": lambda: itertools.count(1),
    "cycle": lambda: itertools.cycle([1, 2, 3]),
    "chain": lambda: itertools.chain([1], [2, 3]),
    "islice": lambda: itertools.islice([1, 2, 3], 3),
    "accumulate": lambda: itertools.accumulate([1, 2, 3]),
    "groupby": lambda: itertools.groupby([1, 2, 3]),
    "pairwise": lambda: itertools.pairwise([1, 2, 3]),
    "tee": lambda: itertools.tee([1, 2, 3])[0],
    "product": lambda: itertools.product([1, 2], [3]),
    "permutations": lambda: itertools.permutations([1, 2]),
    "combinations": lambda: itertools.combinations([1, 2, 3], 2),
    "takewhile": lambda: itertools.takewhile(bool, [1, 2]),
    "starmap": lambda: itertools.starmap(operator.add, [(1, 2), (3, 4)]),
    "zip_longest": lambda: itertools.zip_longest([1, 2], [3]),
    "callable": lambda: iter([3, 2, 1].pop, 9),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_iterators_are_read_without_being_advanced(name: str) -> None:
    iterator, untouched = ITERATORS[name](), ITERATORS[name]()
    before = _plain(text(iterator))
    assert _plain(text(iterator)) == before
    next(iterator)
    next(untouched)
    if name != "callable":  # what a callable would give next is not shown
        assert _plain(text(iterator)) != before
    assert _drained(iterator) == _drained(untouched)


def _plain(described: str) -> str:
    return re.sub(r"#\d+", "#", described)


def _drained(iterator: Any) -> list[Any]:
    return [item[0] if isinstance(item, tuple) else item for item in itertools.islice(iterator, 2)]


def test_an_iterator_over_a_dict_that_grew_is_no_error() -> None:
    grown = {"a": 1}
    iterator = iter(grown)
    grown["b"] = 2
    assert is_opaque(node(iterator))


def test_generators_by_state_position_and_locals() -> None:
    namespace = own(
        """
        import weakref
        class Thing: pass
        def count(start):
            thing = Thing()
            yield weakref.ref(thing)
            del thing
            yield start
            yield from [start, 1]
        """
    )
    generator = namespace["count"](5)
    created = node(generator)
    assert created.text == "count GEN_CREATED at line +0"
    assert edges(created)[".start"].text == "5"
    thing = next(generator)
    assert node(generator).text == "count GEN_SUSPENDED at line +2"
    next(generator)
    # What was described must not be what keeps it alive.
    assert thing() is None
    next(generator)
    assert edges(node(generator))["()"].kind == "list_iterator"
    generator.close()
    assert node(generator).text == "count GEN_CLOSED"
