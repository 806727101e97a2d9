"""``framefuzz subjects``: a line a subject, or one that says why there is none."""

from __future__ import annotations

import importlib.metadata
import json

import pytest
import torch
from click.testing import CliRunner, Result

from framefuzz.cli import main


def subjects(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["subjects", *arguments])


def test_a_line_a_subject() -> None:
    done = subjects()
    assert done.exit_code == 0
    eager, dynamo, *_ = done.stdout.splitlines()
    assert eager.split()[0] == "eager"
    assert dynamo.split()[0] == "dynamo"
    assert f"torch {torch.__version__}" in dynamo


def test_json() -> None:
    rows = [json.loads(line) for line in subjects("--json").stdout.splitlines()]
    assert [(row["schema"], row["subject"], row["problem"]) for row in rows[:2]] == [
        (1, "eager", ""),
        (1, "dynamo", ""),
    ]
    assert rows[1]["versions"]["torch"] == torch.__version__


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_without_torch(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = subjects(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "Error: torch is not installed: pip install 'torch>=2.3'\n"


def test_with_a_torch_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.metadata.version
    monkeypatch.setattr(
        "importlib.metadata.version", lambda name: "2.2.1" if name == "torch" else known(name)
    )
    done = subjects()
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "Error: torch 2.2.1 is too old: pip install 'torch>=2.3'\n"
