"""What the session of each compiler shows in the same way."""

from __future__ import annotations

import pytest
from needs import skip_unless_here
from programs import BREAKS, NAMED, TWELVE_STATES, case_of, run_of, verdicts

from framefuzz.oracles.judge import judge
from framefuzz.subjects import registry
from framefuzz.subjects.protocol import Subject, SubjectUnavailable

COMPILERS = ("dynamo", "framejit")


@pytest.fixture(scope="module", params=COMPILERS)
def subject(request: pytest.FixtureRequest) -> Subject:
    skip_unless_here(request.param)
    return registry.load(request.param)


def test_graphs_breaks_and_verdicts(subject: Subject) -> None:
    trace = run_of(BREAKS, subject)
    assert verdicts(trace) == ["compile", "hit", "hit"]
    assert trace.graphs == 2
    assert [(found.call, found.line) for found in trace.breaks] == [(0, 7)]
    assert not trace.vacuous


def test_a_recompile_names_the_guard(subject: Subject) -> None:
    trace = run_of(NAMED, subject)
    assert verdicts(trace) == ["compile", "recompile", "hit"]
    assert [guard.endswith("== 'a'") for guard in trace.calls[1].verdict.guards] == [True]


def test_checks_of_each_entry(subject: Subject) -> None:
    trace = run_of(NAMED, subject)
    assert trace.calls[0].checks == []
    checks = trace.calls[2].checks
    if not checks:
        pytest.skip("this torch has no guard manager to ask")
    answers = {check.compiled_at: (check.fast, check.explained) for check in checks}
    assert answers == {0: (True, True), 1: (False, False)}
    refused = next(check for check in checks if check.compiled_at == 1)
    assert refused.printed is False and refused.failed.endswith("== 'bb'")


def test_a_frame_without_tensors_is_skipped(subject: Subject) -> None:
    trace = run_of("def make(): return lambda x: x", subject)
    assert verdicts(trace) == ["skip"] * 3
    assert trace.vacuous


def test_methods_modules_and_callable_objects_have_verdicts(subject: Subject) -> None:
    adds = """
        class Adds:
            def go(self, x): return x + 1
            def __call__(self, x): return x + 1
        def make(): return """
    for source in ("def make(): return torch.nn.Linear(2, 2)", f"{adds}Adds()", f"{adds}Adds().go"):
        assert verdicts(run_of(source, subject)) == ["compile", "hit", "hit"], source


def test_forgetting_compiles_afresh(subject: Subject) -> None:
    source = "def make(): return lambda x: x + 1"
    assert verdicts(run_of(source, subject, fresh_before=2)) == ["compile", "hit", "compile"]


def test_a_limit_is_seen(subject: Subject) -> None:
    trace = run_of(TWELVE_STATES, subject)
    assert trace.limit_hit
    assert verdicts(trace)[-1] == "fallback"


def test_judged_against_eager(subject: Subject) -> None:
    judgement = judge(case_of(NAMED), subject)
    assert (judgement.status, judgement.divergences) == ("same", [])


@pytest.mark.parametrize("name", COMPILERS)
def test_an_unknown_backend(name: str) -> None:
    skip_unless_here(name)
    with pytest.raises(SubjectUnavailable, match="no backend 'nope'"):
        registry.load(name, "nope")
