"""TorchDynamo as a subject: what its session shows of the real compiler."""

from __future__ import annotations

import pytest
import torch
from programs import BREAKS, run_of, stdouts, verdicts

from framefuzz.subjects.dynamo import DynamoSubject, main_code
from framefuzz.subjects.dynamo_guards import bind


@pytest.fixture(scope="module")
def dynamo() -> DynamoSubject:
    return DynamoSubject()


def test_codes_and_which_of_them_resume(dynamo: DynamoSubject) -> None:
    codes = run_of(BREAKS, dynamo).codes
    assert [(code.call, code.resume) for code in codes] == [(0, False), (0, True)]


def test_code_exchanged_between_calls(dynamo: DynamoSubject) -> None:
    trace = run_of(
        """
        def make(): return lambda x: x + 1
        def calls(fn):
            yield (torch.ones(2),)
            fn.__code__ = (lambda x: x + 2).__code__
            yield (torch.ones(2),)
            yield (torch.ones(2),)
        """,
        dynamo,
    )
    assert verdicts(trace) == ["compile", "compile", "hit"]


@pytest.mark.parametrize(
    "makes",
    [
        "Adds().go",
        "functools.partial(lambda n, x: x + n, 1)",
        "generator",
        "coroutine",
        "torch.neg",
    ],
)
def test_other_callables_run(dynamo: DynamoSubject, makes: str) -> None:
    source = f"""
        import functools, warnings
        warnings.simplefilter("ignore")
        class Adds:
            def go(self, x): return x + 1
        def generator(x): yield x + 1
        async def coroutine(x): return x + 1
        def make(): return {makes}
        """
    ours, theirs = run_of(source), run_of(source, dynamo)
    for left, right in zip(ours.calls, theirs.calls, strict=True):
        assert left.after.sections["out"].kind == right.after.sections["out"].kind


def test_an_internal_error_is_named_by_type_and_place(dynamo: DynamoSubject) -> None:
    trace = run_of(
        """
        def make():
            def f(x):
                torch._dynamo.graph_break()
                return x + 1
            return f
        KW = {"fullgraph": True}
        """,
        dynamo,
    )
    assert trace.calls[0].internal_error.startswith("Unsupported in ")
    own = run_of("def make():\n    def f(x): raise ValueError(x + 1)\n    return f", dynamo)
    assert own.calls[0].internal_error == ""


def test_config_and_keywords_reach_the_compiler(dynamo: DynamoSubject) -> None:
    before = torch._dynamo.config.capture_scalar_outputs
    trace = run_of(
        """
        CONFIG = {"capture_scalar_outputs": True, "no_such_setting": 1}
        KW = {"dynamic": True}
        def make(): return lambda x: x * x.sum().item()
        """,
        dynamo,
    )
    assert trace.breaks == []
    assert torch._dynamo.config.capture_scalar_outputs is before


def test_stdout_of_compiled_code(dynamo: DynamoSubject) -> None:
    trace = run_of(
        "def make():\n    def f(x):\n        print('p')\n        return x+1\n    return f"
    )
    compiled = run_of(
        "def make():\n    def f(x):\n        print('p')\n        return x+1\n    return f", dynamo
    )
    assert stdouts(compiled) == stdouts(trace) == ["'p\\n'"] * 3


def test_the_frames_locals() -> None:
    def f(a, b=2, *rest, c=3, **more):  # type: ignore[no-untyped-def]
        return cell

    cell = 9
    assert bind(f, (1,)) == {"a": 1, "b": 2, "c": 3, "rest": (), "more": {}, "cell": 9}
    assert bind(f, (1, 5, 6, 7)) == {
        "a": 1,
        "b": 5,
        "c": 3,
        "rest": (6, 7),
        "more": {},
        "cell": 9,
    }
    assert bind(f, ()) is None
    f.__defaults__ = (7, 8)
    assert bind(f, ()) == {"a": 7, "b": 8, "c": 3, "rest": (), "more": {}, "cell": 9}

    def one(a):  # type: ignore[no-untyped-def]
        return a

    assert bind(one, (1, 2)) is None
    one.__defaults__ = (1, 2, 3)
    assert bind(one, ()) == {"a": 3}
    assert bind(abs, (1,)) is None
    assert main_code(abs) is None

    class Holder:
        def go(self, x: int) -> int:
            return x

    holder = Holder()
    assert bind(holder.go, (1,)) == {"self": holder, "x": 1}
    assert main_code(holder.go) is Holder.go.__code__
