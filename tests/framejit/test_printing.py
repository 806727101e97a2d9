"""What is printed of a made code object compiles to the same layout, over the whole corpus."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

import framejit
from framefuzz.case import Case
from framefuzz.subjects.framejit import FramejitSubject
from framefuzz.subjects.run import run
from framejit.compiler import Compiled, Skipped
from framejit.printing import identifier, source_of

CORPUS = sorted((Path(__file__).parents[2] / "corpus").glob("*/*.py"))


def functions_in(code: types.CodeType) -> list[types.CodeType]:
    """All code objects inside one."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return inner + [c for one in inner for c in functions_in(one)]


def layout(code: types.CodeType) -> tuple[object, ...]:
    """The arguments and variables that a code object has, as source can name them."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    arguments = [identifier(name) for name in code.co_varnames[:count]]
    kinds = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & 0x0C
    free = tuple(identifier(name) for name in code.co_freevars)
    return free, tuple(identifier(name) for name in code.co_cellvars), arguments, kinds


def check(code: types.CodeType) -> None:
    text = source_of(code)
    again = [
        inner
        for inner in functions_in(compile(text, "printed.py", "exec"))
        if inner.co_name == identifier(code.co_name)
    ]
    assert layout(again[0]) == layout(code), text


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_corpus_prints_to_the_same_layout(path: Path) -> None:
    made: list[types.CodeType] = []

    def note(event: Compiled | Skipped) -> None:
        if isinstance(event, Compiled):
            made.extend((event.made, *event.resumes))

    framejit.listeners.append(note)
    try:
        run(Case(path.stem, path.read_text(), str(path)), FramejitSubject())
    finally:
        framejit.listeners.remove(note)
    for code in made:
        check(code)


def test_a_break_prints_as_a_call_of_the_resume_function() -> None:
    import torch

    def make() -> types.FunctionType:
        count = 0

        def step(x):  # type: ignore[no-untyped-def]
            nonlocal count
            count += 1
            y = x * 3
            torch._dynamo.graph_break()
            return y + count

        return step  # type: ignore[return-value]

    framejit.reset()
    explained = framejit.explain(make(), torch.ones(2))
    text = str(explained)
    assert explained.result.tolist() == [4.0, 4.0]
    assert [reason for reason, _ in explained.breaks] == ["call of graph_break"]
    assert "count = 1" in text
    assert "return resume_in_step_at_" in text
    assert "mul = in_0 * 3" in text
    framejit.reset()
