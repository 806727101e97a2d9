"""Graph breaks anywhere: what comes before, the instruction itself, and the rest."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("breaks"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_both_sides_of_a_break_are_captured() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        torch._dynamo.graph_break()
        z = y * 2
        framejit.graph_break()
        return z - 1

    with observed() as events:
        assert framejit.compile(step)(torch.ones(1)).item() == 3
    assert [event.operations for event in events.compiled] == [1, 1, 1]
    assert len(events.breaks) == 2
    assert events.skipped == []


def test_a_break_keeps_the_stack(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(value: int) -> int:
        print(value)
        return value

    def step(x: torch.Tensor) -> list[object]:
        return [x + shown(1), (x * shown(2)) - shown(3), shown(4) < shown(5) < shown(3)]

    first, second, third = framejit.compile(step)(torch.ones(1))
    assert (first.item(), second.item(), third) == (2, -1, False)
    assert capsys.readouterr().out.split() == ["1", "2", "3", "4", "5", "3"]


def test_a_break_inside_with_leaves_it_once() -> None:
    log: list[str] = []

    @contextlib.contextmanager
    def logged() -> Iterator[None]:
        log.append("enter")
        try:
            yield
        finally:
            log.append("exit")

    def step(x: torch.Tensor) -> torch.Tensor:
        with logged():
            y = x + 1
            framejit.graph_break()
            y = y * 2
            log.append("inside")
        return y

    assert framejit.compile(step)(torch.ones(1)).item() == 4
    assert log == ["enter", "inside", "exit"]


def test_a_break_under_no_grad_keeps_the_mode() -> None:
    def step(x: torch.Tensor) -> tuple[torch.Tensor, bool, bool]:
        with torch.no_grad():
            y = x + 1
            framejit.graph_break()
            inside = torch.is_grad_enabled()
            y = y * 2
        return y * x, inside, torch.is_grad_enabled()

    y, inside, after = framejit.compile(step)(torch.ones(1, requires_grad=True))
    assert (y.item(), inside, after) == (4.0, False, True)
    assert torch.is_grad_enabled()


def test_data_decides_which_way(capsys: pytest.CaptureFixture[str]) -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - 1

    with observed() as events:
        compiled = framejit.compile(step)
        assert compiled(torch.ones(1)).item() == 3
        assert compiled(-torch.ones(1)).item() == -3
        made = len(events.compiled)
        assert compiled(torch.ones(1)).item() == 3
        assert len(events.compiled) == made
    assert events.graphs == 3
