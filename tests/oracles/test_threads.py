"""All cases of the shared table, against what the table says of this torch."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import torch

from framefuzz.case import read_case
from framefuzz.judgement import Judgement
from framefuzz.oracles.judge import judge
from framefuzz.subjects.dynamo import DynamoSubject

CASES = Path(__file__).parents[3] / "shared" / "cases"
COLUMN = f"on_torch_{torch.__version__.partition('+')[0]}"
# Which oracle has to object to a row of each kind.
ORACLE = {
    "compiler crash": "survival",
    "wrong output": "behaviour",
    "wrong side effect": "behaviour",
    "wrong exception": "behaviour",
    "unsound guard": "guards",
    "needless recompile": "recompile",
    "freevar order": "order",
}


def table() -> dict[str, str]:
    """Case to kind, for this torch; empty where the folder or the column is absent."""
    path = CASES / "threads.tsv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return {row["case"]: row[COLUMN] for row in rows if row.get(COLUMN) in {"same", *ORACLE}}


ROWS = table()

pytestmark = pytest.mark.skipif(
    not ROWS, reason=f"NO TABLE CHECKED: {CASES}/threads.tsv has no column {COLUMN}"
)


@pytest.fixture(scope="module")
def dynamo() -> DynamoSubject:
    return DynamoSubject()


def test_the_table_is_whole() -> None:
    assert len(ROWS) == 96


@pytest.mark.parametrize("name", ROWS or ["none"])
def test_thread(name: str, dynamo: DynamoSubject) -> None:
    judgement = judge(read_case(CASES / "threads" / f"{name}.py"), dynamo)
    expected = ROWS[name]
    if expected == "same":
        # A case that compiled nothing cannot differ either.
        assert judgement.status in ("same", "vacuous"), said(judgement)
    else:
        assert judgement.status == "diverges"
        assert ORACLE[expected] in {d.oracle for d in judgement.divergences}, said(judgement)


def said(judgement: Judgement) -> str:
    """The divergences as text."""
    return "\n".join(
        f"{d.oracle} {d.kind} at call {d.call}, {d.path}: {d.eager} against {d.subject}"
        for d in judgement.divergences
    )
