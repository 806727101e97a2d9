"""What a corpus case says of itself: read, looked up by version, and refused when malformed."""

from __future__ import annotations

from pathlib import Path

import pytest

from framefuzz.case import InvalidCase
from framefuzz.corpus import corpus_files, read_corpus_case
from framefuzz.oracles.judge import ORACLES

CORPUS = Path(__file__).parents[2] / "corpus"

GOOD = '''"""Adds one."""
import torch
ORIGIN = "pytorch/pytorch#107866"
RIGHT = ["tensor(2.0, float32 [])"]
RIGHT_OBSERVED = ["1"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "order", "torch>=2.13": "guards"}}
def make():
    n = 1
    return lambda x: x + n
def calls(fn):
    yield (torch.tensor(1.0),)
'''


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "adds_one.py"
    path.write_text(GOOD)
    return path


def test_reads_all_constants(case: Path) -> None:
    entry = read_corpus_case(case)

    assert entry.case.name == "adds_one"
    assert entry.origin == "pytorch/pytorch#107866"
    assert entry.right == ("tensor(2.0, float32 [])",)
    assert entry.right_observed == ("1",)
    assert [(o.subject, str(o.versions), o.outcome) for o in entry.open] == [
        ("dynamo", "torch<2.4,>=2.3", "order"),
        ("dynamo", "torch>=2.13", "guards"),
    ]


def test_reading_runs_nothing(case: Path) -> None:
    case.write_text(GOOD + "raise RuntimeError\n")

    assert read_corpus_case(case).origin == "pytorch/pytorch#107866"


@pytest.mark.parametrize(
    ("torch", "outcome"),
    [
        ("2.3.1", "order"),
        ("2.3.1+cpu", "order"),
        ("2.4.0", "same"),
        ("2.12.1", "same"),
        ("2.13.0+cpu", "guards"),
        ("2.13.0.dev20260101+cpu", "guards"),
        ("2.20.0", "guards"),
    ],
)
def test_expects_by_version(case: Path, torch: str, outcome: str) -> None:
    assert read_corpus_case(case).expected("dynamo", {"torch": torch}) == outcome


def test_other_subjects_are_expected_to_agree(case: Path) -> None:
    assert read_corpus_case(case).expected("framejit", {"python": "3.11.7"}) == "same"


def test_two_entries_that_hold_at_once(case: Path) -> None:
    case.write_text(GOOD.replace("<2.4", "<2.14"))

    with pytest.raises(InvalidCase, match=r"torch<2.14,>=2.3 and torch>=2.13 hold at once"):
        read_corpus_case(case).expected("dynamo", {"torch": "2.13.0"})


def test_an_unknown_distribution(case: Path) -> None:
    with pytest.raises(InvalidCase, match="dynamo knows no torch, only python"):
        read_corpus_case(case).expected("dynamo", {"python": "3.11.7"})


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [
        (1, "import sys", "adds_one.py:1: has no docstring"),
        (3, "ORIGIN = 'somewhere'", "adds_one.py:3: ORIGIN must be"),
        (3, "ORIGIN = str(1)", "adds_one.py:3: ORIGIN must be a literal"),
        (3, "", "adds_one.py: ORIGIN must be"),
        (4, "RIGHT = 'tensor'", "adds_one.py:4: RIGHT must be a list of one text a call"),
        (4, "RIGHT = []", "adds_one.py:4: RIGHT must be a list of one text a call"),
        (4, "", "adds_one.py: RIGHT must be a list"),
        (5, "RIGHT_OBSERVED = '1'", "adds_one.py:5: RIGHT_OBSERVED must be a list"),
        (5, "RIGHT_OBSERVED = ['1', '2']", "adds_one.py:5: RIGHT_OBSERVED has 2 texts, RIGHT 1"),
        (6, "OPEN = {'dynamo': 'order'}", "adds_one.py:6: OPEN must be a dict"),
        (6, "OPEN = {'dynamo': {'2.13': 'order'}}", "adds_one.py:6: OPEN '2.13' is no range"),
        (6, "OPEN = {'dynamo': {'torch': 'order'}}", "adds_one.py:6: OPEN 'torch' is no range"),
        (7, "def make(:", "adds_one.py:7: is no Python"),
    ],
)
def test_malformed(case: Path, line: int, instead: str, message: str) -> None:
    lines = GOOD.splitlines()
    lines[line - 1] = instead
    case.write_text("\n".join(lines))

    with pytest.raises(InvalidCase) as raised:
        read_corpus_case(case)

    assert message in str(raised.value)


def test_the_corpus_is_well_formed() -> None:
    entries = [read_corpus_case(path) for path in corpus_files(CORPUS)]

    assert len(entries) >= 60
    names = [entry.case.name for entry in entries]
    assert len(set(names)) == len(names), "a case is known by its file's name alone"
    for entry in entries:
        assert {o.outcome for o in entry.open} <= {*ORACLES, "vacuous"}, entry.case.filename
        assert {o.subject for o in entry.open} <= {"dynamo"}, entry.case.filename
