"""Resume functions: what they are called with, how deep they nest, what they look like."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("resuming"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_a_loop_of_breaks_is_no_deeper_than_the_loop() -> None:
    depths: list[int] = []

    def note() -> None:
        depth, frame = 0, sys._getframe()
        while frame is not None:
            depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
        depths.append(depth)

    def step(x: torch.Tensor, count: int) -> torch.Tensor:
        for _ in range(count):
            x = x + 1
            note()
        return x

    with observed() as events:
        assert framejit.compile(step)(torch.zeros(1), 2000).item() == 2000
    assert max(depths) - min(depths) <= 2
    assert events.graphs >= 1


def test_a_recursion_of_breaks_is_no_deeper_than_the_recursion() -> None:
    def down(x: torch.Tensor, n: int) -> torch.Tensor:
        y = x + 1
        torch._dynamo.graph_break()
        return down(y, n - 1) if n else y

    compiled = framejit.compile(down)
    depth = sys.getrecursionlimit() - 200
    assert compiled(torch.zeros(1), depth).item() == depth + 1


def test_resume_functions_have_their_variables_in_cpythons_order() -> None:
    zebra, apple = 1, 2

    def step(x: torch.Tensor) -> torch.Tensor:
        mango = 3

        def inner() -> int:
            return zebra + apple + mango

        x = x + inner()
        framejit.graph_break()
        return x * inner()

    with observed() as events:
        assert framejit.compile(step)(torch.ones(1)).item() == 42
    (resume,) = [event for event in events.compiled if event.code.co_name.startswith("resume_in")]
    assert resume.code.co_freevars == ("apple", "mango", "zebra")
    assert resume.made.co_freevars == ("apple", "mango", "zebra")
    assert resume.code.co_cellvars == ()
    (root,) = [event for event in events.compiled if event.code is step.__code__]
    assert root.made.co_freevars == step.__code__.co_freevars


def test_only_what_is_bound_is_an_argument() -> None:
    def step(x: torch.Tensor, unused: int) -> torch.Tensor:
        y = x + 1
        del unused
        framejit.graph_break()
        return y * 2

    with observed() as events:
        framejit.compile(step)(torch.ones(1), 3)
    resume = events.compiled[1].code
    assert set(resume.co_varnames[: resume.co_argcount]) == {"x", "y", "___stack0"}


def test_lines_of_a_traceback_are_the_programs() -> None:
    def step(x: torch.Tensor) -> None:
        x = x + 1
        framejit.graph_break()
        x = x * 2
        raise ValueError("here")

    first = step.__code__.co_firstlineno
    compiled = framejit.compile(step)
    for _ in range(2):
        with pytest.raises(ValueError, match="here") as caught:
            compiled(torch.ones(1))
        lines = [f.lineno for f in traceback.extract_tb(caught.tb) if f.filename == __file__]
        assert first + 4 in lines


def test_one_text_in_two_files_is_two_programs() -> None:
    text = "def step(x):\n    x = x + 1\n    graph_break()\n    return x * 2\n"
    with observed() as events:
        for name in ("one.py", "other.py"):
            names: dict[str, Any] = {"graph_break": framejit.graph_break}
            exec(compile(text, name, "exec"), names)
            assert framejit.compile(names["step"])(torch.ones(1)).item() == 4
    files = [event.made.co_filename for event in events.compiled]
    assert files == ["one.py", "one.py", "other.py", "other.py"]
