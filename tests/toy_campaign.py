"""Runs a campaign with the toy job in a process of its own; arguments are one JSON object.

``sources`` are programs by number, all others do nothing; ``generated`` has programs written by
the real generator instead, each of which is found to diverge in a way that its text determines.
``settings`` are those of framefuzz.campaign.settings.Settings.  Prints the run's ending.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from pathlib import Path
from typing import Any

from faults import finds

import framefuzz.triage.store
from framefuzz.campaign.loop import Campaign, Ending
from framefuzz.campaign.settings import Settings
from framefuzz.campaign.tally import Snapshot
from framefuzz.case import Case
from framefuzz.execute.limits import Limits
from framefuzz.generate import case_for
from framefuzz.triage.finding import Finding

LIMITS = Limits(deadline=0.8, alone_factor=1.25, margin=3.0, memory=0.25, file_size=1)

# What stands in a finding's folder as its script: shows its bug without torch, so at once.
SCRIPT = "print('DIFFERENT')\nraise SystemExit(1)\n"


class Quiet:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.new: list[str] = []
        self.errors: dict[int, str] = {}

    def confirmed(self, finding: Finding) -> None:
        self.new.append(finding.signature)

    def error(self, index: int, text: str) -> None:
        self.errors[index] = text

    def progress(self, snapshot: Snapshot) -> None:
        pass


def campaign(sources: dict[int, str], listener: Quiet | None = None, **settings: Any) -> Campaign:
    """A campaign of the toy job with these programs."""

    def program(seed: int, index: int) -> Case:
        return Case(f"p{index}", sources.get(index, "pass"), f"p{index}.py")

    defaults = {"seed": 0, "limits": LIMITS, "prepare": "toy_job:prepare", "program": program}
    return Campaign(Settings(**{**defaults, **settings}), listener or Quiet())


def generated(seed: int, index: int) -> Case:
    """A generated program's text as a string, that takes some time to be found to diverge."""
    case = case_for(seed, index)
    number = zlib.crc32(case.source.encode())
    text = "".join(f"# {line}\n" for line in case.source.splitlines())
    source = f"import time; time.sleep({number % 7} / 200)\n{finds(f's{number % 11}')}\n{text}"
    return Case(case.name, source, case.filename)


def main() -> None:
    asked = json.loads(sys.argv[1])
    framefuzz.triage.store.render = lambda *given: SCRIPT
    settings = {**asked["settings"], "out": Path(asked["settings"]["out"])}
    if asked.get("generated"):
        settings["program"] = generated
    ending: Ending = campaign(
        {int(index): source for index, source in asked.get("sources", {}).items()}, **settings
    ).run()
    print(
        json.dumps(
            {
                "new": [finding.signature for finding in ending.new],
                "failed": ending.failed,
                "stopped": ending.stopped,
                "ended": time.time(),
                **ending.snapshot.to_json(),
            }
        )
    )


if __name__ == "__main__":
    main()
