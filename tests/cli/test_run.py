"""``framefuzz run``: what it refuses, in one line each, and what it prints."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import toy_campaign
from click.testing import CliRunner, Result
from faults import finds

import framefuzz.campaign.settings
import framefuzz.cli.run
from framefuzz.campaign import state
from framefuzz.campaign.tally import Clock, Tally
from framefuzz.case import Case
from framefuzz.cli import main
from framefuzz.cli.views import PlainView, counts


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def refused(result: Result) -> str:
    """The one line of a refusal."""
    assert result.exit_code == 2, result.output
    (line,) = (line for line in result.stderr.splitlines() if line.startswith("Error: "))
    assert "Traceback" not in result.output
    return line


def test_an_output_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("kept")
    line = refused(run("--out", str(tmp_path / "out")))
    assert line == f"Error: {tmp_path}/out: is a file, not a folder; name another folder"
    assert (tmp_path / "out").read_text() == "kept"


@pytest.mark.parametrize("where", ["/proc/framefuzz", "file/inside"])
def test_an_output_folder_that_cannot_be_written(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept")
    line = refused(run("--out", where))
    assert line.startswith(f"Error: {where}: cannot be written (")
    assert line.endswith("name another folder")
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_of_a_newer_schema(tmp_path: Path) -> None:
    (tmp_path / "campaign.json").write_text('{"schema": 99}')
    line = refused(run("--out", str(tmp_path)))
    assert "campaign.json: has schema 99, this framefuzz knows 1; use the newer framefuzz" in line
    assert os.listdir(tmp_path) == ["campaign.json"]


def test_a_finding_of_a_newer_schema(tmp_path: Path) -> None:
    folder = tmp_path / "findings" / "some-bug"
    folder.mkdir(parents=True)
    (folder / "finding.json").write_text('{"schema": 99}')
    line = refused(run("--out", str(tmp_path)))
    assert "finding.json: has schema 99" in line
    assert os.listdir(tmp_path) == ["findings"]


def test_an_unknown_subject(tmp_path: Path) -> None:
    line = refused(run("--subject", "jit", "--out", str(tmp_path / "out")))
    assert "no subject 'jit': choose one of eager, dynamo" in line
    assert not (tmp_path / "out").exists()


def test_a_torch_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    line = refused(run("--out", str(tmp_path / "out")))
    assert "torch is not installed: pip install 'torch>=2.3'" in line


def test_a_torch_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.metadata.version

    def version(name: str) -> str:
        return "2.2.1" if name == "torch" else known(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    line = refused(run("--out", str(tmp_path / "out")))
    assert "torch 2.2.1 is too old" in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("time", ["0", "x", "5d", "-1", "1 hour", ""])
def test_a_time_that_is_none(time: str) -> None:
    assert f"{time!r} is no time: write 60, 60s, 10m or 6h" in refused(run("--time", time))


@pytest.mark.parametrize(
    ("text", "seconds"), [("60", 60.0), ("60s", 60.0), ("10m", 600.0), ("6h", 21600.0)]
)
def test_times(text: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def settings(**given: Any) -> None:
        asked.append(given["seconds"])
        raise SystemExit(77)

    monkeypatch.setattr(framefuzz.cli.run, "Settings", settings)
    assert run("--time", text).exit_code == 77
    assert asked == [seconds]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, jobs_importable: None) -> None:
    """Programs and a job that need no torch."""

    def program(seed: int, index: int) -> Case:
        source = {3: finds("one"), 5: finds("two")}.get(index, "pass")
        return Case(f"p{index}", source, f"p{index}.py")

    real = framefuzz.campaign.settings.Settings

    def settings(**given: Any) -> framefuzz.campaign.settings.Settings:
        return real(**{**given, "prepare": "toy_job:prepare", "program": program})

    monkeypatch.setattr(framefuzz.cli.run, "Settings", settings)
    monkeypatch.setattr("framefuzz.triage.store.render", lambda *given: toy_campaign.SCRIPT)


def test_new_findings_exit_1_and_known_ones_0(toy: None, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    first = run("--programs", "25", "--workers", "1", "--out", out)
    assert first.exit_code == 1, first.output
    lines = first.stdout.splitlines()
    assert lines[0] == f"framefuzz: dynamo, backend eager, seed 0, 1 worker, into {out}"
    shown = "behaviour: call 0, out: value: int 1 | int 2"
    assert f"new finding  one  {shown}" in lines
    assert f"new finding  two  {shown}" in lines
    assert "findings: 2 new, 0 known" in lines
    assert lines[-1] == f"scripts: {out}/findings/*/repro.py"
    again = run("--programs", "25", "--workers", "1", "--out", out)
    assert again.exit_code == 0
    assert again.stdout.splitlines()[0].endswith("continuing after 25 programs")


def test_json_is_one_documented_object_a_line(toy: None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("--programs", "25", "--workers", "1", "--json", "--out", str(out))
    assert result.exit_code == 1
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert {event["schema"] for event in events} == {1}
    kinds = [event["event"] for event in events]
    assert kinds == ["start", "finding", "finding", "end"]
    start, finding, _, end = events
    assert start == {
        "schema": 1,
        "event": "start",
        "seed": 0,
        "subject": "dynamo",
        "backend": "eager",
        "workers": 1,
        "out": str(out),
        "finished_before": 0,
    }
    assert finding["finding"]["signature"] == "one"
    assert finding["script"] == str(out / "findings" / "one" / "repro.py")
    assert end["programs"] == 25
    assert end["findings"] == ["one", "two"]
    assert end["statuses"] == {"diverges": 2, "same": 23}
    assert (end["exit_code"], end["failed"], end["stopped"]) == (1, "", False)
    assert sum(end["shares"].values()) == pytest.approx(1.0, abs=0.01)


def test_a_seed_is_that_of_the_folder_unless_given(toy: None, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert run("--seed", "9", "--programs", "1", "--out", out).exit_code == 0
    assert "seed 9" in run("--programs", "1", "--out", out).stdout
    line = refused(run("--seed", "8", "--programs", "1", "--out", out))
    assert "holds a campaign with seed 9, not 8; name another folder" in line


def test_a_harness_that_fails_exits_3_in_one_line(
    toy: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise ZeroDivisionError("in the harness")

    monkeypatch.setattr("framefuzz.campaign.loop.Campaign._take", fail)
    out = tmp_path / "out"
    result = run("--programs", "1", "--out", str(out))
    assert result.exit_code == 3
    kept = out / "errors" / "framefuzz.txt"
    assert result.stderr == f"Error: ZeroDivisionError: in the harness (see {kept})\n"
    assert "in fail" in kept.read_text()


def test_the_start_of_torch_is_shown_at_once() -> None:
    tally = Tally()
    rest = ([Clock()], 0, 0, 0, 0)
    lines: list[str] = []
    view = PlainView(lines.append)
    view.progress(tally.snapshot(*rest, starting=True))
    view.progress(tally.snapshot(*rest, starting=True))
    assert lines == ["0:00:00  starting torch, which takes 5 to 30 seconds; 0 new, 0 known"]
    tally.count("same")
    for starting in (True, False):
        assert counts(tally.snapshot(*rest, starting=starting)).startswith("1 programs, ")


def test_ctrl_c_again_and_again_leaves_a_folder_that_can_be_read(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "framefuzz", "run", "--workers", "1", "--out", str(out)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout
    while "starting torch" not in process.stdout.readline():
        assert process.poll() is None
    asked_at = time.monotonic()
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert time.monotonic() - asked_at < 5.0
    said, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert re.match(r"stopped after 0:00:\d\d: 0 programs, ", said)
    assert state.seed_of(out) == 0
    assert CliRunner().invoke(main, ["findings", str(out)]).exit_code == 0
