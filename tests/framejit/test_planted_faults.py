"""Faults planted in framejit: each has a case on which the oracle that should see it does.

Without the fault the case is the same as under eager, so it is the fault that is seen.
"""

from __future__ import annotations

import faulthandler
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import framejit
from framefuzz.case import Case, read_case
from framefuzz.judgement import Judgement, of_death
from framefuzz.oracles.judge import ORACLES, judge
from framefuzz.subjects.framejit import FramejitSubject
from framejit import _native, faults
from framejit.faults import FAULTS, Fault, plant, planted

CASES = Path(__file__).parent / "fault_cases"
SOURCE = Path(framejit.__file__).parent
DOCUMENT = Path(__file__).parents[2] / "docs" / "framejit-faults.md"


def file_of(name: str) -> Path:
    return CASES / (re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") + ".py")


def judge_in_child(case: Case) -> Judgement:
    """What is found of a case whose process may die of it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        judge(
            case, FramejitSubject(), announce=lambda phase: os.write(writer, f" {phase}".encode())
        )
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with open(reader) as pipe:
        phases = pipe.read().split()
    assert os.WIFSIGNALED(status), f"survived: {status}"
    (judgement,) = of_death(case.name, ["framejit"], phases[-1], f"signal {os.WTERMSIG(status)}")
    return judgement


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_a_fault_is_seen_by_its_oracle(fault: Fault) -> None:
    case = read_case(file_of(fault.name))
    assert judge(case, FramejitSubject()).status == "same"
    with plant(fault.name):
        if fault.oracle == "survival":
            found = judge_in_child(case)
        else:
            found = judge(case, FramejitSubject())
    assert fault.oracle in {divergence.oracle for divergence in found.divergences}


def test_the_oracles_are_the_fuzzers_own() -> None:
    assert {fault.oracle for fault in FAULTS.values()} <= set(ORACLES)
    assert len(FAULTS) >= 40


def test_each_fault_has_its_place_and_each_place_its_fault() -> None:
    texts = [path.read_text() for path in SOURCE.rglob("*.py") if path.name != "faults.py"]
    names = re.findall(r"planted\(\s*\"([^\"]+)\"\s*\)", "\n".join(texts))
    assert set(names) == set(FAULTS)
    asked = sum(len(re.findall(r"\bplanted\(", text)) for text in texts)
    assert asked == len(names), "a name that is no literal"


def test_each_fault_has_its_case_and_each_case_its_fault() -> None:
    assert set(CASES.glob("*.py")) == {file_of(name) for name in FAULTS}


def test_each_fault_is_documented() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|.*\| (\w+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert dict(rows) == {fault.name: fault.oracle for fault in FAULTS.values()}
    assert len(rows) == len(FAULTS)


def test_nothing_is_planted_by_itself() -> None:
    assert not any(planted(name) for name in FAULTS)


def test_faults_end_with_their_block() -> None:
    with plant("append lost"):
        with plant("stale slot", "maxlen lost"):
            assert [name for name in FAULTS if planted(name)] == [
                "maxlen lost",
                "append lost",
                "stale slot",
            ]
        assert planted("append lost")
        assert not planted("stale slot")
        with pytest.raises(ZeroDivisionError), plant("stale slot"):
            raise ZeroDivisionError
        assert not planted("stale slot")
    assert not planted("append lost")


def test_planting_drops_compiled_code() -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    compiled = framejit.compile(fn)
    compiled(torch.ones(3))
    assert len(_native.entries(fn.__code__)) == 1
    with plant("append lost"):
        assert not _native.entries(fn.__code__)
        compiled(torch.ones(3))
        assert len(_native.entries(fn.__code__)) == 1
    assert not _native.entries(fn.__code__)


def test_an_unknown_name_is_answered_with_those_that_are_near() -> None:
    near = r"no fault 'append is lost'; did you mean 'append lost'"
    with pytest.raises(ValueError, match=near), plant("append is lost"):
        pass
    first = r"no fault '%'; did you mean '0\.0 taken for -0\.0'"
    with pytest.raises(ValueError, match=first), plant("append lost", "%"):
        pass
    assert not planted("append lost")


class _NotAsked(frozenset[str]):
    def __contains__(self, name: object) -> bool:
        raise AssertionError(f"asked for {name!r}")


def test_a_hit_asks_for_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    weight, log = torch.ones(3), []

    def fn(x: torch.Tensor) -> torch.Tensor:
        log.append(1)
        weight.add_(x)
        framejit.graph_break()
        return x * weight

    compiled = framejit.compile(fn)
    compiled(torch.ones(3))
    compiled(torch.ones(3))
    monkeypatch.setattr(faults, "_on", _NotAsked())
    assert compiled(torch.ones(3)).tolist() == [4.0, 4.0, 4.0]
    framejit.reset()


@pytest.mark.parametrize(
    ("value", "status", "said"),
    [
        ("append lost, stale slot", 0, "['append lost', 'stale slot']"),
        ("apend lost", 1, "ValueError: no fault 'apend lost'; did you mean 'append lost'"),
    ],
)
def test_the_environment_plants(value: str, status: int, said: str) -> None:
    # The module alone: it needs no torch, which takes seconds to import.
    program = "import runpy, sys; print(sorted(runpy.run_path(sys.argv[1], run_name='f')['_on']))"
    ran = subprocess.run(
        [sys.executable, "-c", program, faults.__file__],
        env={**os.environ, faults.VARIABLE: value},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == status
    assert said in ran.stdout + ran.stderr
