"""Scripts of framejit's findings: fitted to its functions, and right where nothing diverges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from needs import skip_unless_here
from test_repro import RIGHT, WarmTorch, record_of

from framefuzz.case import Case
from framefuzz.trace import Divergence
from framefuzz.triage.repro import render

CASE = Case("right", RIGHT, "right.py")


@pytest.fixture(scope="module")
def torch_process():
    skip_unless_here("framejit")
    process = WarmTorch()
    yield process
    process.end()


def script_for(divergence: Divergence, case: Case = CASE) -> str:
    from framefuzz.subjects.framejit import FramejitSubject

    record = replace(record_of(case, [divergence]), subject="framejit")
    return render(case, record, FramejitSubject.in_script)


@pytest.mark.parametrize(
    ("oracle", "call", "path", "kind", "shown"),
    [
        ("behaviour", 1, "cells(count)", "value", "eager:"),
        ("order", 0, "step.co_freevars", "co_freevars unsorted", ""),
        ("recompile", 2, "verdict", "limit", "no code object compiled 8 times"),
        ("inconsistent", 1, "entry 0", "fast and explaining check", "cache entry 0: explained"),
        ("inconsistent", 1, "entry 0", "printed refuses, check accepts", "printed conditions"),
        ("inconsistent", 1, "entry 0", "frame refused, dict accepted", "over a dict"),
        ("inconsistent", 1, "frame", "call refused, check accepted", "when asked before"),
    ],
)
def test_where_nothing_diverges_a_script_says_so(
    torch_process, tmp_path: Path, oracle: str, call: int, path: str, kind: str, shown: str
) -> None:
    script = tmp_path / "repro.py"
    script.write_text(script_for(Divergence(oracle, call, path, "a", "b", kind, ("int", "int"))))
    status, said = torch_process.run(script)
    assert (status, said.rstrip().rpartition("\n")[2]) == (0, "same"), said
    assert shown in said


def test_a_script_has_no_keywords_that_framejit_does_not_take() -> None:
    skip_unless_here("framejit")
    case = Case("right", RIGHT + '\nKW = {"dynamic": True}\n', "right.py")
    found = Divergence("behaviour", 1, "cells(count)", "1", "2", "value", ("int", "int"))
    script = script_for(found, case)
    assert 'framejit.compile(fn, backend="eager") if compiled' in script
    assert "import framejit" in script
