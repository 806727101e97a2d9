"""Calls: of the program's functions and classes, operators, and what is built in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


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
