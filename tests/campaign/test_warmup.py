"""The programs that warm a server do what they are there for: compile, and break graphs."""

from __future__ import annotations

import pytest

from framefuzz.campaign.warmup import RICH
from framefuzz.case import Case
from framefuzz.oracles.judge import judge
from framefuzz.subjects.dynamo import DynamoSubject


@pytest.mark.parametrize("case", RICH, ids=lambda case: case.name)
def test_a_warm_up_compiles(case: Case) -> None:
    judgement = judge(case, DynamoSubject())
    assert judgement.message == ""
    assert judgement.codes >= 4
    assert judgement.breaks >= 2
