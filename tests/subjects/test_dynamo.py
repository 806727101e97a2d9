"""TorchDynamo as a subject: what its session shows of the real compiler."""

from __future__ import annotations

import pytest
import torch
from programs import run_of, stdouts

from framefuzz.subjects.dynamo import DynamoSubject, main_code
from framefuzz.subjects.dynamo_guards import bind
from framefuzz.subjects.protocol import SubjectUnavailable
from framefuzz.trace import Trace


@pytest.fixture(scope="module")
def dynamo() -> DynamoSubject:
    return DynamoSubject()


def verdicts(trace: Trace) -> list[str]:
    return [call.verdict.kind for call in trace.calls]


def test_codes_graphs_breaks_and_verdicts(dynamo: DynamoSubject) -> None:
    trace = run_of(
        """
        def make():
            n = 1
            def f(x):
                y = x * n
                torch._dynamo.graph_break()
                return y + 1
            return f
        """,
        dynamo,
    )
    assert verdicts(trace) == ["compile", "hit", "hit"]
    assert [code.call for code in trace.codes] == [0] * len(trace.codes)
    assert [code.resume for code in trace.codes] == [False, True]
    assert trace.graphs == 2
    assert [(found.call, found.line) for found in trace.breaks] == [(0, 7)]
    assert not trace.vacuous


def test_a_recompile_names_the_guard(dynamo: DynamoSubject) -> None:
    trace = run_of(
        """
        def make():
            name = "a"
            return lambda x: x + len(name)
        def calls(fn):
            for name in ("a", "a", "bb"):
                fn.__closure__[0].cell_contents = name
                yield (torch.ones(2),)
        """,
        dynamo,
    )
    assert verdicts(trace) == ["compile", "hit", "recompile"]
    assert [guard.endswith("== 'a'") for guard in trace.calls[2].verdict.guards] == [True]


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


def test_checks_of_each_entry(dynamo: DynamoSubject) -> None:
    trace = run_of(
        """
        def make():
            name = "a"
            return lambda x: x + len(name)
        def calls(fn):
            for name in ("a", "bb", "a"):
                fn.__closure__[0].cell_contents = name
                yield (torch.ones(2),)
        """,
        dynamo,
    )
    checks = trace.calls[2].checks
    if not checks:
        pytest.skip("this torch has no guard manager to ask")
    answers = {check.compiled_at: (check.fast, check.explained) for check in checks}
    assert answers == {0: (True, True), 1: (False, False)}
    refused = next(check for check in checks if check.compiled_at == 1)
    assert refused.printed is False and refused.failed.endswith("== 'bb'")


def test_a_frame_without_tensors_is_skipped_with_a_reason(dynamo: DynamoSubject) -> None:
    trace = run_of("def make(): return lambda x: x", dynamo)
    assert verdicts(trace) == ["skip"] * 3
    assert trace.vacuous


def test_a_module_and_a_callable_object_have_verdicts(dynamo: DynamoSubject) -> None:
    module = run_of("def make(): return torch.nn.Linear(2, 2)", dynamo)
    assert verdicts(module) == ["compile", "hit", "hit"]
    called = run_of(
        """
        class Adds:
            def __call__(self, x): return x + 1
        def make(): return Adds()
        """,
        dynamo,
    )
    assert verdicts(called) == ["compile", "hit", "hit"]


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


def test_forgetting_compiles_afresh(dynamo: DynamoSubject) -> None:
    source = "def make(): return lambda x: x + 1"
    assert verdicts(run_of(source, dynamo, fresh_before=2)) == ["compile", "hit", "compile"]


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


def test_a_limit_is_seen(dynamo: DynamoSubject) -> None:
    trace = run_of(
        """
        def make(): return lambda x, s: x + len(s)
        def calls(fn):
            for index in range(12):
                yield (torch.ones(2), "s" * index)
        """,
        dynamo,
    )
    assert trace.limit_hit
    assert verdicts(trace)[-1] == "fallback"


def test_stdout_of_compiled_code(dynamo: DynamoSubject) -> None:
    trace = run_of(
        "def make():\n    def f(x):\n        print('p')\n        return x+1\n    return f"
    )
    compiled = run_of(
        "def make():\n    def f(x):\n        print('p')\n        return x+1\n    return f", dynamo
    )
    assert stdouts(compiled) == stdouts(trace) == ["'p\\n'"] * 3


def test_an_unknown_backend() -> None:
    with pytest.raises(SubjectUnavailable, match="no backend 'nope'"):
        DynamoSubject("nope")


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
