"""Exceptions: raised, handled, passed on, with breaks in handlers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("exceptions"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_a_value_above_what_is_handled_is_no_exception() -> None:
    seen: list[object] = []

    def told(value: int) -> int:
        seen.append(sys.exc_info()[0])
        return value

    def step(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        try:
            [][0]
        except IndexError:
            y = y * told(3)
        return y * told(2)

    with observed() as events:
        assert framejit.compile(step)(torch.ones(1)).item() == 12
    assert seen == [IndexError, None]
    assert events.graphs >= 1


def test_handlers_nest_across_breaks() -> None:
    def step(x: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
        said = []
        try:
            try:
                x = x + 1
                raise ValueError("first")
            except ValueError as error:
                framejit.graph_break()
                x = x * 2
                raise KeyError("second") from error
            finally:
                said.append("finally")
        except KeyError as error:
            framejit.graph_break()
            said += [repr(error), repr(error.__cause__)]
        return x - 1, said

    y, said = framejit.compile(step)(torch.ones(1))
    assert y.item() == 3
    assert said == ["finally", "KeyError('second')", "ValueError('first')"]


def test_the_mode_is_as_before_when_a_graph_raises() -> None:
    def step(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return (x + 1)[index]

    compiled = framejit.compile(step)
    compiled(torch.ones(2), torch.tensor([0]))
    with pytest.raises(IndexError):
        compiled(torch.ones(2), torch.tensor([9]))
    assert torch.is_grad_enabled()


def test_an_interrupt_gets_through() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    def step(x: torch.Tensor) -> None:
        x = x + 1
        interrupt()

    with pytest.raises(KeyboardInterrupt):
        framejit.compile(step)(torch.ones(1))
