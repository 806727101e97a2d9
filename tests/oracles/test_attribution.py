"""Who disagrees with whom, by compilers that do what a test says."""

from __future__ import annotations

from typing import Any

from fake import Fake, case_of
from test_judging import CHANGES, COUNTS, STILL

from framefuzz.judgement import of_death, overall
from framefuzz.oracles.judge import judge_each
from framefuzz.trace import EntryCheck


def told(source: str, one: Fake, other: Fake) -> list[dict[str, str]]:
    """What is said of the other compiler, for each divergence of the one."""
    one.name, other.name = "one", "other"
    judgements = judge_each(case_of(source), [one, other])
    assert [judgement.subject for judgement in judgements] == ["one", "other"]
    return [found.others for found in judgements[0].divergences]


def wrong(at: int, by: Any = 1) -> Fake:
    """Wrong from a call on."""
    return Fake(lambda fn, call, fresh: fn() + by if call >= at else fn())


def test_the_other_agrees_with_eager() -> None:
    assert told(COUNTS, wrong(1), Fake()) == [{"other": "agrees with eager"}]
    # What it does later says nothing of this call.
    assert told(COUNTS, wrong(1), wrong(2)) == [{"other": "agrees with eager"}]


def test_both_differ() -> None:
    assert told(COUNTS, wrong(1), wrong(1)) == [{"other": "agrees with one"}]
    assert told(COUNTS, wrong(1), wrong(1, by=2)) == [{"other": "differs otherwise"}]
    assert told(COUNTS, wrong(1), wrong(0)) == [{"other": "had differed before"}]


def test_the_other_compiled_nothing() -> None:
    assert told(COUNTS, wrong(1), Fake(compiles={})) == [{"other": "compiled nothing"}]


def test_what_is_no_behaviour_is_compared_by_oracle_and_kind() -> None:
    def doubting() -> Fake:
        return Fake(checks={1: [EntryCheck(0, True, False, None)]})

    assert told(STILL, doubting(), Fake()) == [{"other": "agrees with eager"}]
    assert told(STILL, doubting(), doubting()) == [{"other": "agrees with one"}]


def test_verdicts_side_by_side() -> None:
    hits, recompiles = Fake(name="hits"), Fake(compiles={0: (), 2: ("g == 1",)}, name="recompiles")
    first, second = judge_each(case_of(CHANGES), [hits, recompiles])
    assert first.side_by_side == {
        "hits": ["compile", "hit", "hit"],
        "recompiles": ["compile", "hit", "recompile"],
    }
    assert second.side_by_side == first.side_by_side
    assert list(first.to_json()["side_by_side"]) == ["hits", "recompiles"]
    (alone,) = judge_each(case_of(CHANGES), [hits])
    assert "side_by_side" not in alone.to_json()


def test_eager_runs_once_and_phases_name_the_subject() -> None:
    phases: list[str] = []
    one, other = Fake(name="one"), Fake(name="other")
    judgements = judge_each(case_of(COUNTS), [one, other], None, phases.append)
    assert phases == ["eager", "subject one", "subject other", "oracles", "oracles"]
    assert "eager" in judgements[0].seconds and "eager" not in judgements[1].seconds
    phases.clear()
    judge_each(case_of(COUNTS), [one], None, phases.append)
    assert phases == ["eager", "subject", "oracles"]


def test_a_death_is_that_of_the_subject_it_happened_under() -> None:
    names = ("one", "other")
    (judgement,) = of_death("c", names, "subject other", "signal 11")
    assert (judgement.subject, judgement.status) == ("other", "diverges")
    judgements = of_death("c", names, "eager", "signal 11")
    assert [(one.subject, one.status) for one in judgements] == [
        ("one", "invalid"),
        ("other", "invalid"),
    ]


def test_an_invalid_case_is_so_for_every_subject() -> None:
    judgements = judge_each(case_of("def make(:"), [Fake(name="one"), Fake(name="other")])
    assert [judgement.status for judgement in judgements] == ["invalid", "invalid"]


def test_overall() -> None:
    assert overall(["same", "diverges"]) == "diverges"
    assert overall(["vacuous", "same"]) == "same"
    assert overall(["vacuous", "vacuous"]) == "vacuous"
    assert overall(["invalid", "same"]) == "invalid"
