"""Calls: of the program's functions and classes, operators, and what is built in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit
from framefuzz.case import Case
from framefuzz.oracles.judge import judge
from framefuzz.subjects.framejit import FramejitSubject


@pytest.mark.parametrize("path", programs("calls"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


class Left:
    """Adds as one."""

    def __add__(self, other: Any) -> int:
        return 1


class Right(Left):
    """A subclass, which is asked first."""

    def __radd__(self, other: Any) -> int:
        return 2


class Same:
    """Equal by value; != is not defined."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: Any) -> bool:
        return bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]


class Other:
    """Defines nothing."""


class Equal:
    """Equal to all."""

    def __eq__(self, other: Any) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("one", "other", "function", "right"),
    [
        (Left(), Right(), lambda a, b: a + b, 2),
        (Same(1), Same(1), lambda a, b: a != b, False),
        (Same(1), Same(2), lambda a, b: a != b, True),
        (Other(), Equal(), lambda a, b: a == b, True),
        (Other(), Equal(), lambda a, b: a != b, False),
        (Other(), Other(), lambda a, b: a == b, False),
    ],
    ids=["subclass first", "!= by ==", "!= by == too", "right ==", "right !=", "neither"],
)
def test_operators_of_two_instances(one: Any, other: Any, function: Any, right: Any) -> None:
    def step(x: torch.Tensor) -> tuple[torch.Tensor, Any]:
        return x + 1, function(one, other)

    with observed() as events:
        assert framejit.compile(step)(torch.ones(1))[1] is right
    assert events.graphs == 1


def test_torch_compile_inside_and_outside() -> None:
    @torch.compile(backend="eager")
    def by_dynamo(x: torch.Tensor) -> torch.Tensor:
        return x + 7

    @framejit.compile
    def inner(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def step(x: torch.Tensor) -> torch.Tensor:
        return by_dynamo(inner(x)) + inner(x)

    with observed() as events:
        compiled = framejit.compile(step)
        assert [compiled(torch.ones(1)).item() for _ in range(3)] == [11, 11, 11]
        again = torch.compile(inner, backend="eager")
        assert again(torch.ones(1)).item() == 2
    assert events.graphs >= 1
    assert not any(reason.startswith("internal") for reason in events.skipped)


EXPRESSIONS = [
    "[].unknown",
    "(1).unknown",
    "(lambda: 1).unknown",
    "iter([1]).unknown",
    "iter([1]).send(1)",
    "{}.keys().mapping",
    "slice(None, 2).start is None",
    "slice(1, 2).stop",
    "queue.maxlen",
    "queue.maxlen == 3",
    "range(3).stop",
    "StopIteration(3).value == 3",
    "KeyError(3).args",
    "AttributeError().name is None",
    "enumerate([1], begin=1)",
    "list(enumerate([5, 6], start=1))",
    "enumerate()",
    "enumerate([1], 1.5)",
    "map(len)",
    "min(1, 2, default=3)",
    "min([], default=3)",
    "max([])",
    "max(1, 2, unknown=3)",
    "sorted([2, 1], [3])",
    "sorted([2, 1], reverse=1)",
    "sum([1], 2, 3)",
    "sum([1], start=2)",
    "functools.reduce(operator.add, [1, 2], 3)",
    "functools.reduce(operator.add, [])",
    "operator.getitem([1], 0, 1)",
    "list([1], [2])",
    "dict([(1, 2, 3)])",
    "dict({1: 2}, a=3)",
    "dict({1: 2}, {3: 4})",
    "list(collections.deque([1, 2, 3], 2))",
    "list(collections.deque([1, 2, 3], maxlen=-1))",
    "list(collections.deque([1, 2, 3], maxlen=0))",
    "{1: 2}.get()",
    "{1: 2}.get(1, 2, 3)",
    "{1: 2}.pop(1, 2, 3)",
    "{1: 2}.setdefault(1, 2, 3)",
    "{1: 2}.copy(1)",
    "{1: 2}.keys(1)",
    "{}.popitem()",
    "collections.OrderedDict().popitem()",
    "ordered.popitem(last=False)",
    '(ordered.move_to_end("b", last=False), list(ordered))',
    'ordered.move_to_end("z")',
    "{1: 2}.move_to_end(1)",
    "{1}.add(2, 3)",
    "{1}.discard()",
    "frozenset([1]).add(2)",
    "[1, 2].pop(0, 1)",
    "[1, 2].popleft()",
    "queue.pop(0)",
    "(queue.append(4), queue.appendleft(5), queue.pop(), list(queue))",
    '[1, 2].insert("a", 3)',
    "[2, 1].sort([3])",
    '[1, "a"].sort()',
    "[1].remove(2)",
    "collections.deque([1]).remove(2)",
    "[1].insert(10**30, 3)",
    "[1] * 10**30",
    "collections.deque([1], 10**30)",
    "getattr(5, 5)",
    "len(Odd(-1))",
    "len(Odd(True))",
    'len(Odd("a"))',
]

PROGRAM = """
import collections
import functools
import operator

import torch


class Odd:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length


def make():
    def fn(x):
        ordered = collections.OrderedDict(a=1, b=2)
        queue = collections.deque([1, 2, 3], maxlen=3)
        y = x + 1
        try:
            found = {expression}
        except Exception as error:
            found = type(error).__name__, str(error)
        return y * 2, found

    return fn


def calls(fn):
    yield (torch.ones(1),)
    yield (torch.ones(1),)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_builtin_with_arguments_that_may_not_fit(expression: str) -> None:
    source = PROGRAM.format(expression=expression)
    assert judge(Case("fit", source, "<fit>.py"), FramejitSubject()).status == "same"
