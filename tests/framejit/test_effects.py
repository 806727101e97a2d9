"""Side effects: in program order, on the right objects, kept when an exception leaves."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("effects"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_one_list_reached_in_two_ways_and_then_two_lists() -> None:
    def step(x: torch.Tensor, one: list[int], other: list[int]) -> torch.Tensor:
        one.append(1)
        other.append(2)
        return x + len(one)

    compiled = framejit.compile(step)
    both: list[int] = []
    assert compiled(torch.zeros(1), both, both).item() == 2
    assert both == [1, 2]
    one, other = [], []
    assert compiled(torch.zeros(1), one, other).item() == 1
    assert (one, other) == ([1], [2])


def test_what_was_done_before_an_exception_stays_done() -> None:
    done: list[Any] = []

    def step(x: torch.Tensor) -> torch.Tensor:
        done.append("before")
        x.add_(1)
        raise ValueError(len(done))

    x = torch.zeros(1)
    with pytest.raises(ValueError, match="1"):
        framejit.compile(step)(x)
    assert done == ["before"]
    assert x.item() == 1


def test_a_graph_that_raises_has_changed_nothing_twice() -> None:
    def step(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x[index] + torch.rand(1)

    compiled = framejit.compile(step)
    x = torch.zeros(3)
    torch.manual_seed(0)
    compiled(x, torch.tensor([0]))
    with pytest.raises(IndexError):
        compiled(x, torch.tensor([5]))
    assert x.tolist() == [2.0, 2.0, 2.0]
    drawn = torch.rand(1)
    torch.manual_seed(0)
    torch.rand(1)
    assert torch.equal(drawn, torch.rand(1))


def test_a_set_joined_to_another_is_taken_as_it_was() -> None:
    kept = {1}

    def step(x: torch.Tensor, target: set[int]) -> torch.Tensor:
        more = {2}
        target |= more
        more.add(3)
        return x + len(more)

    assert framejit.compile(step)(torch.zeros(1), kept).item() == 2
    assert kept == {1, 2}


def test_an_attribute_that_is_deleted_and_set_again_comes_last() -> None:
    def step(x: torch.Tensor) -> Any:
        made = Plain()
        made.a, made.b = 1, 2
        del made.a
        made.a = 3
        return made, x + 1

    with observed() as events:
        made, _ = framejit.compile(step)(torch.zeros(1))
    assert list(vars(made).items()) == [("b", 2), ("a", 3)]
    assert events.graphs == 1


class Plain(SimpleNamespace):
    """Something with attributes."""


def test_an_operation_that_fails_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return (x + 1) @ torch.ones(7)

    with pytest.raises(RuntimeError, match="inconsistent tensor size"):
        framejit.compile(step)(torch.ones(2))
    assert caplog.records == []
