"""Framejit as a subject: what its session shows, and what its guards are said to be."""

from __future__ import annotations

import sys

import pytest
import torch

pytest.importorskip("framejit._native", reason="framejit's native core is not built")
if sys.version_info[:2] != (3, 11):
    pytest.skip("framejit compiles CPython 3.11 only", allow_module_level=True)

from programs import BREAKS, NAMED, TWELVE_STATES, run_of, verdicts

import framejit
from framefuzz.subjects import registry
from framefuzz.subjects.framejit import FramejitSubject
from framefuzz.subjects.framejit_guards import evaluate, text_of
from framefuzz.subjects.protocol import SubjectUnavailable


@pytest.fixture(scope="module")
def subject() -> FramejitSubject:
    return FramejitSubject()


def test_a_resume_function_is_shown_when_made_and_when_compiled(subject: FramejitSubject) -> None:
    codes = run_of(BREAKS, subject).codes
    assert [(code.call, code.resume) for code in codes] == [(0, False), (0, True), (0, True)]


def test_each_entry_answers_in_four_ways(subject: FramejitSubject) -> None:
    trace = run_of(NAMED, subject)
    assert trace.calls[1].verdict.guards == ("name == 'a'",)
    answers = {
        check.compiled_at: (check.fast, check.explained, check.by_dict, check.printed)
        for check in trace.calls[2].checks
    }
    assert answers == {1: (False,) * 4, 0: (True,) * 4}
    refused = next(check for check in trace.calls[2].checks if check.compiled_at == 1)
    assert refused.failed == refused.explanation == "name == 'bb'"


def test_a_method_has_entries_to_ask(subject: FramejitSubject) -> None:
    method = run_of(
        """
        class Adds:
            def go(self, x): return x + 1
        def make(): return Adds().go
        """,
        subject,
    )
    assert [check.fast for check in method.calls[1].checks] == [True]


def test_asking_changes_nothing_and_runs_nothing() -> None:
    ran = []

    def step(x: torch.Tensor, scale: int = 2) -> torch.Tensor:
        ran.append(scale)
        return x * scale

    compiled = framejit.compile(step)
    try:
        compiled(torch.ones(2))
        before = list(ran)
        (answer,) = framejit.ask(step, torch.ones(2), scale=2)
        assert (answer.fast, answer.explained, answer.by_dict, answer.failure) == (
            True,
            True,
            True,
            None,
        )
        (answer,) = framejit.ask(step, torch.ones(2), 3)
        assert not (answer.fast or answer.explained or answer.by_dict)
        assert answer.failure is not None and answer.failure.source == "scale"
        assert framejit.ask(step) == []  # the arguments do not fit
        assert framejit.ask(len, []) == []
        assert ran == before
        assert answer.entry.hits == 1
    finally:
        framejit.reset()


def test_cells_and_free_variables_are_asked_of() -> None:
    factor = 2

    def step(x: torch.Tensor, y: int) -> torch.Tensor:
        def inner() -> int:
            return y + factor

        return x * inner()

    compiled = framejit.compile(step)
    try:
        compiled(torch.ones(2), 1)
        assert [answer.fast for answer in framejit.ask(step, torch.ones(2), 1)] == [True]
        factor = 3
        (answer,) = framejit.ask(step, torch.ones(2), 1)
        assert (answer.fast, answer.by_dict) == (False, False)
        assert answer.failure is not None and answer.failure.source == "factor"
    finally:
        framejit.reset()


def test_a_limit_is_said_in_framejit_s_words(subject: FramejitSubject) -> None:
    assert run_of(TWELVE_STATES, subject).limit_hit.startswith("compiled 8 times")


def test_what_captures_no_graph_is_vacuous_with_a_reason(subject: FramejitSubject) -> None:
    nothing = run_of("def make(): return lambda x: x", subject)
    assert verdicts(nothing) == ["skip"] * 3
    assert nothing.vacuous
    assert nothing.skips == ["<lambda>: no operation on a tensor"]
    broken = run_of(
        """
        def make():
            def f(x):
                torch._dynamo.graph_break()
                return 3
            return f
        """,
        subject,
    )
    assert broken.codes and broken.vacuous
    assert broken.skips[0].startswith("f: nothing captured before: ")


@pytest.mark.parametrize(
    ("source", "expected", "text"),
    [
        ("x", "2", "x == 2"),
        ("x", "'a'", "x == 'a'"),
        ("x", "type <class 'int'>", "type(x) is <class 'int'>"),
        ("f", "the object <function g at 0x7f00>", "f is <function g>"),
        ("x", "length 3", "len(x) == 3"),
        ("x", "keys ('a',)", "keys of x: ('a',)"),
        ("x", "absent", "absent: x"),
        ("x, y", "different objects", "different objects: x, y"),
        ("x.shape[0] == y", "true", "x.shape[0] == y"),
        ("x", "true of <function p at 0x7f00>", "predicate <function p> of x"),
        ("x", "dtype torch.float32", "tensor x: dtype torch.float32"),
    ],
)
def test_guards_as_text(source: str, expected: str, text: str) -> None:
    assert text_of(source, expected) == text


@pytest.mark.parametrize(
    ("source", "expected", "held"),
    [
        ("n", "3", True),
        ("n", "True", False),
        ("n", "4", False),
        ("n", "type <class 'int'>", True),
        ("n", "type <class 'float'>", False),
        ("none", "absent", True),
        ("n", "absent", False),
        ("none", "3", False),
        ("items", "length 2", True),
        ("items[1]", "-0.0", True),
        ("items[1]", "0.0", False),
        ("items[2]", "absent", True),
        ("table", "keys ('b', 'a')", True),
        ("table", "keys ('a', 'b')", False),
        ("items, table['a']", "the same object", True),
        ("items, table", "different objects", True),
        ("len(items) + n == 5", "true", True),
        ("x.shape[0] == n", "true", False),
        ("x", "a Tensor of torch.float32 on device(type='cpu'), shape (2,), strides (1,)", True),
        ("x", "a Tensor of torch.float32 on device(type='cpu'), shape (any,), strides (1,)", True),
        ("x", "a Tensor of torch.float64 on device(type='cpu'), shape (2,), strides (1,)", False),
        ("builtins.len", "absent", False),
        ("globals()['no_such_name']", "absent", True),
        ("builtins.len", "the object <built-in function len>", True),
        ("builtins.len", "the object <built-in function max>", False),
        ("globals()['torch']", "the object <module 'torch' from '/somewhere/torch.py'>", True),
        ("n", "true of <function p at 0x7f00>", None),
        ("odd", "type <class 'test_framejit.Odd'>", None),
        ("odd", "type <class 'test_framejit.Even'>", None),  # could have been its name before
        ("odd", "type <class 'int'>", False),
        ("n", "type <class 'test_framejit.Odd'>", False),
        ("odd.anything", "3", None),  # could run the program's __getattr__
    ],
)
def test_plain_python_evaluation(source: str, expected: str, held: bool | None) -> None:
    def step(x: object, n: int, items: list[object], table: dict[str, object], odd: Odd) -> None:
        pass

    items: list[object] = [1, -0.0]
    table = {"b": 1, "a": items}
    answer, failed = evaluate(
        [(source, expected)], (), step, (torch.ones(2), 3, items, table, Odd())
    )
    assert answer is held
    assert failed == (text_of(source, expected) if held is False else "")


class Odd:
    def __getattr__(self, name: str) -> object:
        raise AssertionError("ran the program's code")


def test_unavailable_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "FRAMEJIT_PYTHON", (3, 7))
    with pytest.raises(SubjectUnavailable, match=r"CPython 3\.7 only, and this is 3\.11"):
        registry.require("framejit")
    registry.require("dynamo")


def test_unavailable_without_the_native_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EXTENSION_SUFFIXES", [".absent"])
    with pytest.raises(SubjectUnavailable, match="native core is not built"):
        registry.load("framejit")


def test_versions() -> None:
    assert FramejitSubject("inductor").versions()["framejit"] == framejit.__version__
