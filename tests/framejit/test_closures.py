"""Cells: shared, written at any depth, empty, rebuilt; functions made, stored, called after."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("closures"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_siblings_share_a_cell_across_a_break() -> None:
    total = 0

    def add(amount: int) -> None:
        nonlocal total
        total += amount

    def step(x: torch.Tensor) -> torch.Tensor:
        add(1)
        framejit.graph_break()
        add(10)
        return x + total

    with observed() as events:
        compiled = framejit.compile(step)
        assert compiled(torch.zeros(2)).tolist() == [11.0, 11.0]
        assert compiled(torch.zeros(2)).tolist() == [22.0, 22.0]
    assert total == 22
    assert events.graphs >= 1


def test_a_function_made_and_returned_keeps_its_own_cell() -> None:
    def make(x: torch.Tensor) -> object:
        count = 0

        def counter() -> torch.Tensor:
            nonlocal count
            count += 1
            return x + count

        y = counter()
        return counter, y

    compiled = framejit.compile(make)
    first, y = compiled(torch.zeros(1))
    second, _ = compiled(torch.zeros(1))
    assert (y.item(), first().item(), first().item(), second().item()) == (1, 2, 3, 2)
    assert first.__closure__[0] is not second.__closure__[0]


def test_an_empty_cell_raises_as_cpython_does() -> None:
    def step(x: torch.Tensor) -> str:
        def read() -> int:
            return late

        x = x + 1
        try:
            read()
        except NameError as error:
            said = str(error)
        late = 3
        return said + str(late)

    expected = "cannot access free variable 'late' where it is not associated with a value"
    assert framejit.compile(step)(torch.ones(1)) == expected + " in enclosing scope3"
