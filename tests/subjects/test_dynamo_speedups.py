"""The speed-ups change no outcome: the same bytecode made, verdicts, breaks and skips."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from framefuzz.execute.client import ENVIRONMENT

# In processes of their own, one with and one without: what is replaced cannot be put back.
SCRIPT = r"""
import json, re, sys
import torch
from framefuzz.generate import case_for
from framefuzz.subjects.dynamo import DynamoSubject
from framefuzz.subjects.dynamo_speedups import SPEEDUPS
from framefuzz.subjects.run import run

subject = DynamoSubject()
names = subject.speed_up() if "fast" in sys.argv else []
known = [speedup.name for speedup in SPEEDUPS]
cases = [case_for(11, index) for index in range(10)]

def neutral(value):
    if isinstance(value, dict):
        return "dict"
    # Addresses, and the random numbers in names of compiled graphs.
    numbers = r"0x[0-9a-f]+|\d{9,}|_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}"
    return re.sub(numbers, "#", repr(value))

def described(code):
    constants = [described(c) if hasattr(c, "co_code") else neutral(c) for c in code.co_consts]
    names = [neutral(n) for n in (code.co_names, code.co_varnames, code.co_freevars)]
    return [code.co_code.hex(), constants, names, code.co_exceptiontable.hex()]

def outcome(case):
    trace = run(case, subject)
    calls = [neutral((call.verdict, call.checks)) for call in trace.calls]
    made = [described(code.made) for code in trace.codes]
    return [case.name, made, calls, neutral(trace.breaks), neutral(trace.skips)]

outcomes = [outcome(case) for case in cases]
version = torch.__version__
print(json.dumps({"names": names, "known": known, "outcomes": outcomes, "torch": version}))
"""


def outcomes(*arguments: str) -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, *arguments],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=True,
    )
    outcome: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return outcome


def test_outcomes_and_bytecode_are_the_same() -> None:
    plain, fast = outcomes(), outcomes("fast")
    for one, other in zip(plain["outcomes"], fast["outcomes"], strict=True):
        for part, other_part in zip(one, other, strict=True):
            assert part == other_part, one[0]
    assert sum(len(outcome[1]) for outcome in plain["outcomes"]) > 25
    assert plain["names"] == []
    if fast["torch"].startswith("2.13."):
        assert fast["names"] == fast["known"]


SETTINGS = """
import sys
from unittest import mock
import torch._dynamo
from framefuzz.subjects import dynamo_speedups
if "fast" in sys.argv:
    dynamo_speedups.apply()
config = torch._dynamo.config

def read():
    return getattr(config, "recompile_limit", None), getattr(config, "error_on_recompile", None)

print(read())
with config.patch(recompile_limit=3), mock.patch.object(config, "error_on_recompile", True):
    print(read())
print(read())
config.recompile_limit = 5
with mock.patch.object(config, "recompile_limit", 7):
    print(read())
print(read())
del config.error_on_recompile
print(read(), hasattr(config, "error_on_recompile"), hasattr(config, "no_such"))
config.error_on_recompile = False
print(read(), config.get_config_copy() == config.get_config_copy())
print(config.traceable_tensor_subclasses, config.cache_size_limit)
"""


def test_settings_are_read_as_before() -> None:
    plain, fast = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SETTINGS, *arguments],
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for arguments in ([], ["fast"])
    )
    assert plain == fast
    assert plain.startswith("(8, False)\n(3, True)\n(8, False)\n(7, False)\n(5, False)\n")
