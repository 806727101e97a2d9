import json

import pytest
from click.testing import CliRunner

from framefuzz.cli.main import main
from framefuzz.cli.replay import replay

THERE = "print('both sides')\nprint('DIFFERENT')\nraise SystemExit(1)"
GONE = "print('same')"
BROKEN = "raise RuntimeError('no torch')"


@pytest.fixture
def scripts(tmp_path):
    """Scripts that import no torch, each in a folder named for what it does."""
    for name, text in (("there", THERE), ("gone", GONE), ("broken", BROKEN)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "repro.py").write_text(text)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(replay, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    "names, code",
    [
        (["there"], 1),
        (["gone"], 0),
        (["broken"], 3),
        (["gone", "broken"], 3),
        (["broken", "there", "gone"], 1),
    ],
)
def test_exit_code(scripts, names, code):
    assert run(*(scripts / name for name in names)).exit_code == code


def test_says_what_became_of_each(scripts):
    done = run(scripts / "there", scripts / "gone" / "repro.py", scripts / "broken")
    assert done.stdout.splitlines() == [
        "still there   there",
        "gone          gone",
        "other outcome broken: exited with 1: RuntimeError: no torch",
    ]
    assert "1 still there, 1 gone, 1 other outcome" in done.stderr


def test_a_case_is_no_script(tmp_path):
    case = tmp_path / "case.py"
    case.write_text("def make(): return abs\ndef calls(fn): yield (1,)\n")
    done = run(case)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "case.py: is a case, not a script; framefuzz check judges it" in done.stderr
    case.write_text(
        case.read_text() + "if __name__ == '__main__': print('DIFFERENT'); raise SystemExit(1)\n"
    )
    assert run(case).exit_code == 1


def test_a_folder_of_findings(scripts):
    assert len(run(scripts).stdout.splitlines()) == 3


def test_json(scripts):
    done = run("--json", scripts / "there")
    row = json.loads(done.stdout)
    assert row.pop("seconds") >= 0
    assert row == {
        "schema": 1,
        "script": str(scripts / "there" / "repro.py"),
        "outcome": "still there",
        "reason": "",
        "said": "both sides\nDIFFERENT\n",
    }


def test_a_script_that_does_not_end(scripts):
    (scripts / "gone" / "repro.py").write_text("import time\ntime.sleep(60)")
    done = run("--deadline", "0.3", scripts / "gone")
    assert done.exit_code == 3
    assert "did not end within 0.3 seconds" in done.stdout


def test_only_what_is_confirmed_is_replayed(tmp_path, scripts):
    out = tmp_path / "out"
    (out / "findings").mkdir(parents=True)
    (out / "unconfirmed").mkdir()
    done = run(out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "nothing to replay" in done.stderr


@pytest.mark.parametrize(
    "name, said",
    [
        ("none", "does not exist"),
        ("there/text.txt", "is no script"),
        ("empty", "holds no findings"),
    ],
)
def test_unusable_input(scripts, name, said):
    (scripts / "there" / "text.txt").write_text("")
    (scripts / "empty").mkdir()
    done = run(scripts / name)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_is_a_command_with_help():
    done = CliRunner().invoke(main, ["replay", "--help"])
    assert done.exit_code == 0
    assert "Examples: framefuzz replay DIR" in done.stdout


def test_a_campaign_of_a_newer_schema_is_refused(scripts):
    (scripts / "findings").mkdir()
    (scripts / "campaign.json").write_text('{"schema": 99}')
    done = run(scripts)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "campaign.json: has schema 99, this framefuzz knows 1; use the newer" in done.stderr
    assert done.stderr.count("\n") == 1
