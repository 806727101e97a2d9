"""The programs that warm a server, and what happens if one of them ends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_campaign import SCRIPT, campaign

from framefuzz.campaign.warmup import warm_ups
from framefuzz.oracles.judge import judge
from framefuzz.subjects.dynamo import DynamoSubject


def test_the_first_compiles_breaks_and_recompiles() -> None:
    judgement = judge(next(warm_ups(0)), DynamoSubject())
    assert judgement.status == "same"
    assert judgement.verdicts == ["compile", "recompile", "hit"]
    assert judgement.breaks >= 1


def test_the_others_are_generated_and_the_same_each_time() -> None:
    first, second = list(warm_ups(8)), list(warm_ups(8))
    assert first == second
    assert len({case.source for case in first}) == 9


def test_a_server_that_a_warm_up_ends_is_started_without(
    tmp_path: Path, jobs_importable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framefuzz.triage.store.render", lambda *given: SCRIPT)
    run = campaign({}, out=tmp_path, programs=25, prepare="toy_job:prepare_unless_warm")
    ending = run.run()
    assert ending.failed == ""
    assert ending.snapshot.statuses == {"same": 25}
