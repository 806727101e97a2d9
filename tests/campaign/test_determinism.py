"""One seed gives the same programs and findings, whatever the workers and the hash seed.

Each program takes a time of its own, so workers finish in different orders, and many programs
show the same divergence, so which of them stands for it is put to the test.  The slow test does
the same with the real judge.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import toy_campaign

HERE = Path(toy_campaign.__file__).parent
PROGRAMS = 90
# Workers and hash seeds of one run each, run one after the other into one folder each.
RUNS = [(1, 0), (2, 1), (4, 4242), (4, 7)]


def contents(out: Path) -> dict[str, Any]:
    """All that a campaign leaves, without times of day and the order of sightings."""
    left: dict[str, Any] = {}
    for path in sorted(out.rglob("*")):
        if path.is_dir() or path.name == ".writer":
            continue
        name = str(path.relative_to(out))
        text = path.read_text()
        if path.name == "finding.json":
            record = json.loads(text)
            del record["found"], record["confirmed"]
            left[name] = record
        elif path.name == "sightings.log":
            left[name] = sorted(text.splitlines())
        else:
            left[name] = text
    return left


def test_workers_and_hash_seed_change_nothing(tmp_path: Path) -> None:
    outcomes = []
    for number, (workers, hash_seed) in enumerate(RUNS):
        out = tmp_path / str(number)
        settings = {"out": str(out), "programs": PROGRAMS, "workers": workers, "seed": 3}
        asked = {"generated": True, "settings": settings}
        subprocess.run(
            [sys.executable, HERE / "toy_campaign.py", json.dumps(asked)],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(HERE), "PYTHONHASHSEED": str(hash_seed)},
        )
        outcomes.append(contents(out))
    first = outcomes[0]
    assert sum(name.endswith("case.py") for name in first) == 11
    assert json.loads(first["campaign.json"])["finished"] == PROGRAMS
    for outcome in outcomes[1:]:
        assert outcome == first


def test_one_run_or_several_is_the_same(tmp_path: Path) -> None:
    for out, parts in ((tmp_path / "one", [50]), (tmp_path / "several", [13, 1, 36])):
        for programs in parts:
            settings = {"out": str(out), "programs": programs, "workers": 2, "seed": 3}
            asked = {"generated": True, "settings": settings}
            subprocess.run(
                [sys.executable, HERE / "toy_campaign.py", json.dumps(asked)],
                check=True,
                capture_output=True,
                env={**os.environ, "PYTHONPATH": str(HERE)},
            )
    assert contents(tmp_path / "one") == contents(tmp_path / "several")


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_ten_real_runs_find_the_same(tmp_path: Path) -> None:
    outcomes = []
    for number in range(10):
        out = tmp_path / str(number)
        ended = subprocess.run(
            [sys.executable, "-m", "framefuzz", "run", "--seed", "5", "--programs", "60"]
            + ["--workers", str((1, 2, 4)[number % 3]), "--out", str(out)],
            env={**os.environ, "PYTHONHASHSEED": str(number * 1000)},
        )
        assert ended.returncode == 1
        outcomes.append(contents(out))
    for outcome in outcomes[1:]:
        assert outcome == outcomes[0]
