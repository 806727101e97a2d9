"""``framefuzz check``, as a person would run it: a process, its output and its exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from needs import skip_unless_here

CALLS = "def calls(fn):\n    yield (torch.ones(2),)\n"
MAKE = "import torch\n\ndef make():\n    return lambda x: x + 1\n\n"

# File: its text, and what the message must name.
BAD = {
    "no_python.py": ("import torch\n\ndef make(:\n", ":3: is no Python"),
    "no_make.py": ("import torch\n" + CALLS, ": defines no function make()"),
    "no_calls.py": (MAKE, ": defines no function calls()"),
    "no_tuple.py": (
        MAKE + "def calls(fn):\n    yield torch.ones(2)\n",
        ":6: calls(fn) must yield a tuple of positional arguments, not Tensor",
    ),
    "no_generator.py": (
        MAKE + "def calls(fn):\n    return [()]\n",
        ":6: calls(fn) must be a generator, not list",
    ),
    "no_call.py": (MAKE + "def calls(fn):\n    return\n    yield\n", ":6: calls() yields nothing"),
    "no_module.py": (
        "import absent_module\n" + MAKE + CALLS,
        ":1: fails when imported: ModuleNotFoundError: No module named 'absent_module'",
    ),
    "no_callable.py": (
        "import torch\n\ndef make():\n    return 3\n\n" + CALLS,
        ":3: make() must return a callable, not int",
    ),
    "make_fails.py": (
        "import torch\n\ndef make():\n    return 1 / 0\n\n" + CALLS,
        ":4: make() fails: ZeroDivisionError: division by zero",
    ),
    "calls_fails.py": (
        MAKE + "def calls(fn):\n    yield (fn.absent,)\n",
        ":7: calls() fails before the first call: AttributeError",
    ),
    "kw.py": (
        MAKE + CALLS + '\nKW = {"nope": 1}\n',
        ":9: torch.compile refuses KW: compile() got an unexpected keyword argument 'nope'",
    ),
    "dies.py": (
        "import os\n" + MAKE + "def calls(fn):\n    os._exit(5)\n    yield ()\n",
        "dies.py: dies by itself under eager: exit code 5",
    ),
}


def framefuzz(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "framefuzz", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=240)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, dict[str, object]]]:
    """All bad files and two good ones, judged in one go."""
    folder = tmp_path_factory.mktemp("cases")
    for name, (text, _) in BAD.items():
        (folder / name).write_text(text)
    (folder / "good.py").write_text(MAKE + CALLS)
    (folder / "nothing.py").write_text(
        "import torch\n\ndef make():\n    return lambda x: 3\n\n" + CALLS
    )
    (folder / "loop.py").write_text(
        "import torch\n\ndef make():\n    def f(x):\n        for _ in range(2):\n"
        "            torch._dynamo.graph_break()\n        return x + 1\n    return f\n\n" + CALLS
    )
    (folder / "early.py").write_text(MAKE + CALLS + "    1 / 0\n")
    (folder / "crash.py").write_text(
        "import os, signal, torch\n\ndef make():\n    def f(x):\n"
        "        if torch.compiler.is_compiling():\n            os.kill(os.getpid(), 11)\n"
        "        return x + 1\n    return f\n\n" + CALLS
    )
    done = framefuzz("check", "--json", *sorted(os.listdir(folder)), cwd=folder)
    assert done.stderr == ""
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, {row["case"] + ".py": row for row in rows}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_one_clear_line(
    judged: tuple[int, dict[str, dict[str, object]]], name: str
) -> None:
    row = judged[1][name]
    assert row["status"] == "invalid"
    message = str(row["message"])
    assert BAD[name][1] in message
    assert name.removesuffix(".py") in message
    assert "\n" not in message


def test_the_rest_is_judged_all_the_same(
    judged: tuple[int, dict[str, dict[str, object]]],
) -> None:
    code, rows = judged
    assert code == 2
    assert rows["good.py"]["status"] == "same"
    assert rows["good.py"]["codes"] == 1
    assert rows["good.py"]["verdicts"] == ["compile"]
    assert rows["nothing.py"]["status"] == "vacuous"
    assert rows["loop.py"]["skips"] == ["f: graph break in loop"]
    assert rows["early.py"]["status"] == "same"
    assert rows["early.py"]["message"] == (
        "calls() ends after 1 calls: ZeroDivisionError: division by zero"
    )


def test_a_case_that_kills_its_process_is_a_divergence(
    judged: tuple[int, dict[str, dict[str, object]]],
) -> None:
    row = judged[1]["crash.py"]
    assert row["status"] == "diverges"
    (found,) = row["divergences"]  # type: ignore[misc, attr-defined]
    assert (found["oracle"], found["kind"], found["subject"]) == ("survival", "signal", "signal 11")
    assert found["signature"].startswith("survival-signal")


def test_a_json_line_has_the_documented_members(
    judged: tuple[int, dict[str, dict[str, object]]],
) -> None:
    row = judged[1]["good.py"]
    assert row["schema"] == 1
    assert set(row) >= {"case", "subject", "status", "divergences", "codes", "graphs", "breaks"}


def test_two_compilers_side_by_side(tmp_path: Path) -> None:
    skip_unless_here("framejit")
    asks = MAKE.replace("x + 1", "x + int(torch.compiler.is_compiling())")
    (tmp_path / "asks.py").write_text(asks + CALLS)
    pair = ("--subject", "dynamo,framejit")
    done = framefuzz("check", "asks.py", *pair, "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["subject"], row["status"]) for row in rows] == [
        ("dynamo", "diverges"),
        ("framejit", "same"),
    ]
    (found,) = rows[0]["divergences"]
    assert found["others"] == {"framejit": "agrees with eager"}
    assert rows[0]["side_by_side"] == {"dynamo": ["compile"], "framejit": ["compile"]}
    (tmp_path / "dies.py").write_text(
        MAKE.replace("x + 1", "x + (torch.compiler.is_compiling() and os._exit(7))").replace(
            "import torch", "import os, torch"
        )
        + CALLS
    )
    (tmp_path / "ends.py").write_text(BAD["dies.py"][0])
    files = ("asks.py", "dies.py", "ends.py", "absent.py")
    done = framefuzz("check", *files, *pair, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "framejit agrees with eager" in done.stdout
    assert re.findall(r"^(\w+ .*?)(?:  \(|: )", done.stdout, re.MULTILINE) == [
        "diverges  asks.py  dynamo",
        "same      asks.py  framejit",
        "diverges  dies.py  dynamo",
        "invalid   ends.py",
        "invalid   absent.py",
    ]
    for wrong, said in (
        ("dynamo,dynamo", "named twice"),
        ("eager,dynamo", "eager is what the others are compared with"),
        ("dynamo,", "no subject ''"),
    ):
        done = framefuzz("check", "asks.py", "--subject", wrong, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


def test_unknown_subject(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(MAKE + CALLS)
    done = framefuzz("check", "good.py", "--subject", "absent", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "Error: no subject 'absent': choose one of eager, dynamo, framejit\n"
    assert done.stdout == ""


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = framefuzz("check", "absent.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "absent.py: cannot be read: No such file or directory" in done.stdout


@pytest.mark.parametrize("version", [None, "2.2.1"])
def test_a_torch_that_is_missing_or_too_old(tmp_path: Path, version: str | None) -> None:
    (tmp_path / "good.py").write_text(MAKE + CALLS)
    # A module of that name first on the path, with the metadata of the version, or none at all.
    site = tmp_path / "site"
    site.mkdir()
    blocker = (
        "import importlib.util as u, importlib.metadata as m\n"
        "find, get = u.find_spec, m.version\n"
        f"u.find_spec = lambda name, *a: None if name == 'torch' and {version is None} "
        "else find(name, *a)\n"
        f"m.version = lambda name: {version!r} if name == 'torch' else get(name)\n"
    )
    (site / "sitecustomize.py").write_text(blocker)
    done = subprocess.run(
        [sys.executable, "-m", "framefuzz", "check", "good.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        timeout=60,
    )
    assert done.returncode == 2
    expected = "torch is not installed" if version is None else "torch 2.2.1 is too old"
    assert done.stderr.startswith(f"Error: {expected}: pip install ")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_is_no_divergence(tmp_path: Path) -> None:
    (tmp_path / "spin.py").write_text(
        MAKE + "def calls(fn):\n    while True:\n        pass\n    yield ()\n"
    )
    command = [sys.executable, "-m", "framefuzz", "check", "absent.py", "spin.py"]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        # A shell has what it runs in the background ignore SIGINT, these tests too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert running.stdout and "cannot be read" in running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (3, "Error: interrupted: 1 of 2 judged\n")


@pytest.mark.parametrize("deadline", ["nan", "-1", "0", "soon"])
def test_a_deadline_that_is_no_time(tmp_path: Path, deadline: str) -> None:
    done = framefuzz("check", f"--deadline={deadline}", "good.py", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{deadline!r} is no time: write 60, 60s, 10m or 6h" in done.stderr
