"""Wrong usage is one line that names the option and where to look, and exit code 2."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from framefuzz.cli import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--wrong"], "'--wrong'"),
        (["runn"], "'runn'"),
        (["run", "--sed", "4"], "'--sed'"),
        (["run", "--seed", "x"], "'--seed'"),
        (["run", "--seed", "-1"], "'--seed'"),
        (["run", "--seed"], "'--seed'"),
        (["run", "--backend", "tpu"], "'--backend': 'tpu' is not one of 'eager', 'aot_eager'"),
        (["run", "--workers", "0"], "'--workers'"),
        (["run", "--time", "5d"], "'--time': '5d' is no time: write 60, 60s, 10m or 6h"),
        (["run", "--ignore", "all"], "'--ignore'"),
        (["run", "--out", ""], "'--out': '' names no folder"),
        (["findings", ""], "'' names no folder"),
        (["replay", ""], "'' names no folder"),
        (["check"], "'FILE...'"),
        (["check", "--strict", "some", "x.py"], "'--strict'"),
        (["findings", "a", "b", "c"], "(c)"),
    ],
)
def test_one_line(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    assert said in line
    assert line.endswith("--help")


def test_no_command_at_all_shows_the_help() -> None:
    done = CliRunner().invoke(main, [])
    assert "\nCommands:\n" in done.output


def test_a_full_disk_is_said_in_one_line() -> None:
    command = [sys.executable, "-m", "framefuzz", "subjects"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "Error: output: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 3, "Error: output: No space left"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 3, ""),
        (KeyboardInterrupt(), 3, "Error: interrupted"),
        (ZeroDivisionError("of its own"), 3, "ZeroDivisionError: of its own"),
    ],
)
def test_what_the_harness_does_not_expect_is_no_divergence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, raised: BaseException, code: int, said: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise raised

    (tmp_path / "findings").mkdir()
    monkeypatch.setattr(sys.modules["framefuzz.cli.replay"], "load_findings", fails)
    done = CliRunner().invoke(main, ["replay", str(tmp_path)])
    assert done.exit_code == code
    assert said in done.stderr
