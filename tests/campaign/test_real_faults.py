"""A campaign with the real judge, on programs that misbehave under eager or under the compiler."""

from __future__ import annotations

import json
from pathlib import Path

from toy_campaign import Quiet

from framefuzz.campaign.loop import Campaign
from framefuzz.campaign.settings import Settings
from framefuzz.case import Case
from framefuzz.execute.limits import Limits
from framefuzz.triage.finding import read_findings

# A global that the compiler must guard on and, in this program, is known to be asked about by
# nobody: see tests/corpus for what diverges for real.  Here it is enough that it does.
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
MISBEHAVES = '''"""Misbehaves the {times}. time that it runs."""
import builtins, ctypes, os, signal, sys, threading, time
import torch

def make():
    builtins.times = getattr(builtins, "times", 0) + 1
    def step(x):
        torch._dynamo.graph_break()
        if builtins.times == {times}:
            act()
        return x + 1
    return step

def act():
    {fault}

def calls(fn):
    yield (torch.ones(2),)
'''

FAULTS = {
    "segfault": "ctypes.string_at(0)",
    "exit": "os._exit(3)",
    "stop": "os.kill(os.getpid(), signal.SIGSTOP)",
    "kill the server": "time.sleep(0.3); os.kill(os.getppid(), signal.SIGKILL)",
    "close all files": "os.closerange(0, 20000)",
}


def test_real_programs_that_misbehave(tmp_path: Path) -> None:
    sources = {0: DIVERGES, 30: DIVERGES}
    number = 2
    for times in (1, 2):
        for fault in FAULTS.values():
            # Each in a child of its own would be easier: they stand in one batch on purpose.
            source = MISBEHAVES.format(times=times, fault=fault)
            sources[number] = source.replace("builtins.times", f"builtins.times_{number}").replace(
                '"times"', f'"times_{number}"'
            )
            number += 1

    def program(seed: int, index: int) -> Case:
        quiet = MISBEHAVES.format(times=0, fault="pass")
        return Case(f"p{index}", sources.get(index, quiet), f"p{index}.py")

    settings = Settings(
        out=tmp_path,
        seed=0,
        programs=31,
        limits=Limits(deadline=4.0, alone_factor=1.0),
        program=program,
    )
    listener = Quiet()
    campaign = Campaign(settings, listener)
    # To confirm them takes a fresh interpreter with torch each: one is enough here.
    campaign._numbers = list(range(20))
    ending = campaign.run()
    assert ending.failed == ""
    assert listener.errors == {}
    statuses = ending.snapshot.statuses
    assert statuses["invalid"] == len(FAULTS)
    assert statuses["died"] == len(FAULTS)
    assert statuses["diverges"] == 2
    by_case = {one.record.case: one.record for one in read_findings(tmp_path)}
    assert by_case["p0"].status == "confirmed"
    died = {name: by_case[f"p{n}"] for n, name in enumerate(FAULTS, 2 + len(FAULTS))}
    assert {one.lead.oracle for one in died.values()} == {"survival"}
    assert died["segfault"].lead.subject == "signal 11"
    assert died["exit"].lead.subject == "exit code 3"
    assert died["stop"].lead.subject == "deadline 4 s"
    assert died["kill the server"].lead.subject == "server ended (signal 9)"
    assert died["close all files"].lead.subject == "lost its result pipe"
    assert json.loads((tmp_path / "campaign.json").read_text())["finished"] == 31
