"""A campaign with the real judge, on programs that misbehave under eager or under the compiler."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from needs import skip_unless_here
from toy_campaign import SCRIPT, Quiet

from framefuzz.campaign.loop import Campaign
from framefuzz.campaign.settings import Settings
from framefuzz.case import Case
from framefuzz.execute.limits import Limits
from framefuzz.subjects.protocol import InScript
from framefuzz.triage.finding import FindingRecord, UnusableFindings, read_findings
from framefuzz.triage.repro import render

DIVERGES = '''"""Asks whether it is being compiled."""
import torch

def make():
    def step(x):
        return x + int(torch.compiler.is_compiling())
    return step

def calls(fn):
    yield (torch.ones(2),)
'''

# A module is executed once under eager, then under the compiler, in one process.
MISBEHAVES = '''"""Misbehaves the {time}. time that it is made."""
import builtins, ctypes, os, signal
import torch

def make():
    builtins.{name} = getattr(builtins, "{name}", 0) + 1
    def step(x):
        torch._dynamo.graph_break()
        if builtins.{name} == {time}:
            act()
        return x + 1
    return step

def act():
    {fault}

def calls(fn):
    yield (torch.ones(2),)
'''

FAULTS = {
    "segfault": ("ctypes.string_at(0)", "signal 11"),
    "exit": ("os._exit(3)", "exit code 3"),
    "stop": ("os.kill(os.getpid(), signal.SIGSTOP)", "deadline 4 s"),
    "closed": ("os.closerange(0, 20000)", "lost its result pipe"),
}


def misbehaves(name: str, time: int) -> str:
    return MISBEHAVES.format(name=f"{name}_{time}", time=time, fault=FAULTS[name][0])


@pytest.fixture(autouse=True)
def _quick_scripts_of_deaths(monkeypatch: pytest.MonkeyPatch) -> None:
    def quick(case: Case, record: FindingRecord, in_script: InScript | None) -> str:
        # The real one takes processes with torch of its own.
        return SCRIPT if record.lead.oracle == "survival" else render(case, record, in_script)

    monkeypatch.setattr("framefuzz.triage.store.render", quick)


def test_real_programs_that_misbehave(tmp_path: Path) -> None:
    sources = {0: DIVERGES, 22: DIVERGES}
    under_eager = ["segfault", "stop"]
    for index, name in enumerate(under_eager, 2):
        sources[index] = misbehaves(name, 1)
    for index, name in enumerate(FAULTS, 5):
        sources[index] = misbehaves(name, 2)

    def program(seed: int, index: int) -> Case:
        quiet = MISBEHAVES.format(name="quiet", time=0, fault="pass")
        return Case(f"p{index}", sources.get(index, quiet), f"p{index}.py")

    limits = Limits(deadline=4.0, alone_factor=1.0)
    listener = Quiet()
    ending = Campaign(
        Settings(tmp_path, 0, programs=23, limits=limits, program=program), listener
    ).run()
    assert ending.failed == ""
    assert listener.errors == {}
    assert ending.snapshot.statuses == {"same": 15, "diverges": 2, "invalid": 2, "died": 4}
    by_case = {one.record.case: one.record for one in read_findings(tmp_path)}
    assert by_case["p0"].status == "confirmed"
    assert by_case["p0"].count == 2
    for index, (_, cause) in enumerate(FAULTS.values(), 5):
        assert by_case[f"p{index}"].lead.oracle == "survival"
        assert by_case[f"p{index}"].lead.subject == cause
    assert json.loads((tmp_path / "campaign.json").read_text())["finished"] == 23


def test_two_compilers_in_one_campaign(tmp_path: Path) -> None:
    """Programs that ask who compiles them tell the two apart, each against eager."""
    skip_unless_here("framejit")
    by_torch = "torch.compiler.is_compiling()"
    by_framejit = DIVERGES.replace(by_torch, "_native.enabled()").replace(
        "import torch", "import torch\nfrom framejit import _native"
    )
    sources = {
        0: DIVERGES.replace(by_torch, "0"),
        1: DIVERGES,
        2: by_framejit,
        3: DIVERGES.replace(f"int({by_torch})", f"({by_torch} and __import__('os')._exit(3))"),
        4: DIVERGES.replace(f"int({by_torch})", "__import__('os')._exit(3)"),
    }

    def program(seed: int, index: int) -> Case:
        return Case(f"p{index}", sources[index], f"p{index}.py")

    listener = Quiet()
    settings = Settings(tmp_path, 0, subject="dynamo,framejit", programs=5, program=program)
    ending = Campaign(settings, listener).run()
    assert (ending.failed, listener.errors) == ("", {})
    names = ("dynamo", "framejit")
    wrong, dead, also_wrong = read_findings(tmp_path)
    assert (dead.record.subject, dead.record.verdicts) == ("dynamo", {})
    assert dead.signature.startswith("dynamo-survival-exit-")
    for finding, name, other in zip((wrong, also_wrong), names, reversed(names), strict=True):
        record = finding.record
        assert (record.status, record.subject) == ("confirmed", name)
        assert record.signature.startswith(f"{name}-behaviour-out-")
        assert record.lead.others == {other: "agrees with eager"}
        assert record.verdicts.keys() == {*names}
        assert f"{other}: agrees with eager" in finding.script.read_text()
    assert ending.snapshot.statuses == {"same": 1, "diverges": 2, "died": 1, "invalid": 1}
    assert ending.snapshot.by_subject == {
        "dynamo": {"died": 1, "diverges": 1, "invalid": 1, "same": 2},
        "framejit": {"diverges": 1, "invalid": 1, "same": 2},
    }
    again = Settings(tmp_path, 0, subject="framejit", programs=3, program=program)
    with pytest.raises(UnusableFindings, match="with subject dynamo,framejit, not framejit"):
        Campaign(again, listener)
