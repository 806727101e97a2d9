"""Every case of the corpus: eager gives what is right, dynamo what the case says of this torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from framefuzz.case import instantiate
from framefuzz.corpus import CorpusCase, corpus_files, read_corpus_case
from framefuzz.observe.render import short
from framefuzz.observe.snapshot import Snapshot
from framefuzz.oracles.judge import ORACLES, judge
from framefuzz.subjects.dynamo import DynamoSubject

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = corpus_files(CORPUS)
WHOLE = 10_000

# Dynamo warns of much that it compiles; what matters here is the outcome.
pytestmark = pytest.mark.filterwarnings("ignore")

of_each_case = pytest.mark.parametrize(
    "path", FILES, ids=[str(path.relative_to(CORPUS)) for path in FILES]
)


def text(value: object) -> str:
    """A value by itself, as RIGHT writes it."""
    return short(Snapshot().node(value), WHOLE)


def outcome(fn: Callable[..., object], arguments: tuple[object, ...]) -> str:
    """What RIGHT says of a call: the value returned, or the type of the exception raised."""
    try:
        return text(fn(*arguments))
    except Exception as error:
        return f"raises {type(error).__name__}"


def complaint(entry: CorpusCase) -> str:
    """What is not as the case says of this torch, and what to do; empty if all is."""
    subject = DynamoSubject()
    expected = entry.expected(subject.name, subject.versions())
    found = judge(entry.case, subject)
    got = found.divergences[0].oracle if found.divergences else found.status
    if got == expected:
        return ""
    where = f"on torch {torch.__version__}"
    if found.divergences:
        first = found.divergences[0]
        said = f"{entry.case.filename} diverges {where} by the oracle {got}"
        sides = f"call {first.call}, {first.path}: eager {first.eager}; dynamo {first.subject}"
        if expected == "same":
            return f"{said}: find out why; if it is a known bug, add an OPEN entry\n{sides}"
        return f"{said}, OPEN says {expected}: look which bug it is, correct the entry\n{sides}"
    if got == "same" and expected in ORACLES:
        return (
            f"{entry.case.filename} no longer diverges {where}: "
            "look whether it is fixed and close its OPEN entry"
        )
    return f"{entry.case.filename} is {got} {where}, not {expected}. {found.message}".strip()


@of_each_case
def test_eager_gives_the_right_values(path: Path) -> None:
    entry = read_corpus_case(path)
    program = instantiate(entry.case)
    outcomes, observed = [], []
    for arguments in program.calls():
        outcomes.append(outcome(program.fn, arguments))
        observed.append(text(program.observe(program.fn)) if program.observe else "")

    assert outcomes == list(entry.right)
    if entry.right_observed or program.observe:
        assert observed == list(entry.right_observed)


@of_each_case
def test_dynamo_gives_what_the_case_expects(path: Path) -> None:
    problem = complaint(read_corpus_case(path))

    assert not problem, problem


def test_a_fix_shows_up(tmp_path: Path) -> None:
    path = tmp_path / "fixed.py"
    path.write_text(
        '"""Adds one."""\n'
        "import torch\n"
        'ORIGIN = "found by framefuzz"\n'
        'RIGHT = ["tensor(2.0, float32 [])"]\n'
        'OPEN = {"dynamo": {"torch>=2.3": "guards"}}\n'
        "def make():\n    return lambda x: x + 1\n"
        "def calls(fn):\n    yield (torch.tensor(1.0),)\n"
    )

    assert "no longer diverges on torch" in complaint(read_corpus_case(path))
    assert "look whether it is fixed and close its OPEN entry" in complaint(read_corpus_case(path))


def test_a_new_divergence_shows_up(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    path.write_text(
        '"""Tells whether it is compiled."""\n'
        "import torch\n"
        'ORIGIN = "found by framefuzz"\n'
        'RIGHT = ["tensor(2.0, float32 [])"]\n'
        "def make():\n    return lambda x: x + (2 if torch.compiler.is_compiling() else 1)\n"
        "def calls(fn):\n    yield (torch.tensor(1.0),)\n"
    )

    assert "add an OPEN entry" in complaint(read_corpus_case(path))
    assert "eager tensor(2.0, float32 []); dynamo tensor(3.0" in complaint(read_corpus_case(path))
