"""Bytecode that framejit makes is sound: stacks, jumps, handlers, lines, variables.

``check_program`` checks the same of every code object made for every program of these tests and of
the corpus.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from checking import observed
from soundness import verify, verify_made

import framejit


def loop(count: int) -> int:
    """Something that CPython has compiled."""
    total = 0
    for number in range(count):
        total += number
    return total


def test_what_cpython_compiles_is_sound() -> None:
    verify(loop.__code__)


def test_an_unsound_stack_is_seen() -> None:
    with pytest.raises(AssertionError):
        verify(loop.__code__.replace(co_stacksize=1))


def test_a_stack_in_nested_handlers_is_deep_enough() -> None:
    def step(x: torch.Tensor, known: dict[int, int]) -> tuple[object, ...]:
        for number in range(2):
            try:
                known[number]
            except KeyError as error:
                x = x + 1
                try:
                    framejit.graph_break()
                    [][number]
                except IndexError:
                    framejit.graph_break()
                    return x, str(error), repr(str(max(number, len(known), abs(number))))
        return ()

    with observed() as events:
        x, *rest = framejit.compile(step)(torch.ones(1), {})
    assert (x, rest) == (2, ["0", "'0'"])
    verify_made(events.compiled)


def test_many_variables_and_long_jumps() -> None:
    lines = ["def step(x):"]
    lines += [f"    v{i} = {i}" for i in range(300)]
    lines += ["    x = x + v299", "    graph_break()", "    if x.sum() > 1000:"]
    lines += [f"        v{i} = v{i} + 1" for i in range(300)]
    lines += ["    return x + (" + " + ".join(f"v{i}" for i in range(300)) + ")"]
    names: dict[str, Any] = {"graph_break": framejit.graph_break}
    exec("\n".join(lines), names)
    total = sum(range(300))
    with observed() as events:
        compiled = framejit.compile(names["step"])
        assert compiled(torch.ones(1)).item() == 300 + total
        assert compiled(torch.full((1,), 2000.0)).item() == 2299 + total + 300
    verify_made(events.compiled)
    assert events.graphs >= 2
