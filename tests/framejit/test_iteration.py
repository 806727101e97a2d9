"""Iterators: made here, from outside, of what changes while they run."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("iteration"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_views_follow_their_dict() -> None:
    def step(x: torch.Tensor) -> tuple[torch.Tensor, int, list[str]]:
        known = {"a": 1, "b": 2}
        keys = known.keys()
        known["c"] = 3
        count = len(keys)
        del known["a"]
        return x + 1, count, list(keys)

    with observed() as events:
        _, count, keys = framejit.compile(step)(torch.ones(1))
    assert (count, keys) == (3, ["b", "c"])
    assert events.graphs == 1


def test_a_reversed_list_is_read_as_it_is() -> None:
    def step(x: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        numbers = [1, 2, 3]
        seen = []
        for number in reversed(numbers):
            numbers[0] = 9
            seen.append(number)
        return x + 1, seen

    assert framejit.compile(step)(torch.ones(1))[1] == [3, 2, 9]


def test_a_generator_goes_on_after_a_break() -> None:
    def step(x: torch.Tensor) -> tuple[float, list[float]]:
        parts = (x * factor for factor in range(1, 5))
        first = next(parts)
        framejit.graph_break()
        return first.item(), [part.item() for part in parts]

    assert framejit.compile(step)(torch.ones(1)) == (1.0, [2.0, 3.0, 4.0])
