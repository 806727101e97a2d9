"""Wrong usage is one line that names the option and where to look, and exit code 2."""

from __future__ import annotations

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
