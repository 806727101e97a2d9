import io
import json
import re

import pytest
from click.testing import CliRunner
from rich.console import Console

from framefuzz.case import Case
from framefuzz.cli.findings import findings, table
from framefuzz.cli.main import main
from framefuzz.judgement import Judgement
from framefuzz.trace import Divergence
from framefuzz.triage.confirm import Rate
from framefuzz.triage.store import FindingStore, load_findings

SOURCE = '"""A counter."""\ndef make(): pass\ndef calls(fn): yield ()\n'


@pytest.fixture
def out(tmp_path):
    """A folder with a confirmed finding met twice, one that did not repeat, and a pending one."""
    out = tmp_path / "out"
    case = Case("p", SOURCE, "p.py")
    with FindingStore(out, seed=4) as store:

        def record(signature, index, kind="value"):
            wrong = Divergence(
                "behaviour", 1, "cells(n)", "2", "1", kind, ("int", "int"), "why", signature
            )
            judgement = Judgement("p", "dynamo", "diverges", [wrong]).to_json()
            store.record(case, "dynamo", judgement, signature, index)

        def finish(signature, rate):
            (finding,) = [one for one in store.load() if one.signature == signature]
            store.finish(finding, rate)

        record("cells-a1", 7)
        finish("cells-a1", Rate(1, 1))
        record("cells-a1", 9)
        record("cells-b2", 8, "type")
        finish("cells-b2", Rate(1, 5, "it ran\nsame"))
        record("other-c3", 3)
    return out


def run(*arguments):
    return CliRunner().invoke(findings, [str(argument) for argument in arguments])


def test_lists_what_is_confirmed_one_line_each(out):
    done = run(out)
    assert done.exit_code == 0
    (line,) = done.stdout.splitlines()
    status, count, oracle, signature, what, versions = line.split("\t")
    assert (status, count, oracle, signature) == ("confirmed", "2", "behaviour", "cells-a1")
    assert what == "call 1, cells(n): value: 2 | 1"
    assert re.fullmatch(r"torch \d+\.\d+.*", versions)
    assert "1 confirmed, 1 unconfirmed, 1 pending (--all shows every one)" in done.stderr


def test_all_lists_the_rest_too(out):
    done = run(out, "--all")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "confirmed",
        "unconfirmed",
        "pending",
    ]


def test_one_in_full(out):
    done = run(out, "cells-a1")
    assert done.exit_code == 0
    for text in ("A counter.", "met in 2 programs", "program   7 of seed 4", "eager     2"):
        assert text in done.stdout
    assert f"script    {out}/findings/cells-a1/repro.py" in done.stdout


def test_one_that_did_not_repeat_says_how_often_and_what_it_said(out):
    done = run(out, "cells-b")
    assert "program 8 did not repeat at once: 1 of 5 runs" in done.stdout
    assert "    | same" in done.stdout


def test_json_is_one_object_a_line(out):
    done = run(out, "--all", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["schema"], row["signature"], row["count"]) for row in rows] == [
        (1, "cells-a1", 2),
        (1, "cells-b2", 1),
        (1, "other-c3", 1),
    ]
    assert rows[0]["script"] == f"{out}/findings/cells-a1/repro.py"
    assert rows[0]["divergences"][0]["path"] == "cells(n)"


@pytest.mark.parametrize(
    "signature, said",
    [("none", "holds no finding none"), ("cells", "is ambiguous: cells-a1, cells-b2")],
)
def test_a_signature_that_names_no_one_finding(out, signature, said):
    done = run(out, signature)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_that_holds_no_findings(tmp_path):
    for folder, said in ((tmp_path, "holds no findings"), (tmp_path / "x", "does not exist")):
        done = run(folder)
        assert done.exit_code == 2
        assert said in done.stderr


def test_a_newer_schema_is_refused_and_nothing_touched(out):
    path = out / "findings" / "cells-a1" / "finding.json"
    newer = {**json.loads(path.read_text()), "schema": 2}
    path.write_text(json.dumps(newer))
    done = run(out)
    assert done.exit_code == 2
    assert f"{path}: has schema 2, this framefuzz knows 1" in done.stderr
    assert json.loads(path.read_text()) == newer


def test_a_table_on_a_terminal(out):
    text = io.StringIO()
    Console(file=text, width=160).print(table(load_findings(out)))
    heading, first, *_ = text.getvalue().splitlines()
    assert [" ".join(heading.split()[:4]), heading.split()[-1]] == [
        "status count oracle finding",
        "versions",
    ]
    assert first.split()[:4] == ["confirmed", "2", "behaviour", "cells-a1"]


def test_is_a_command_with_help():
    done = CliRunner().invoke(main, ["findings", "--help"])
    assert done.exit_code == 0
    assert "Examples: framefuzz findings DIR" in done.stdout


def test_a_campaign_of_a_newer_schema_is_refused(out):
    (out / "campaign.json").write_text('{"schema": 99}')
    done = run(out)
    assert (done.exit_code, done.stdout) == (2, "")
    path = out / "campaign.json"
    assert done.stderr == (
        f"Error: {path}: has schema 99, this framefuzz knows 1; "
        "use the newer framefuzz, or another folder\n"
    )
