"""A job for the fork server that needs no torch: executes an item's source once a phase.

The source sees ``phase`` (eager or subject) and ``found``, a list: what it appends to it under
the subject are the signatures of divergences.
"""

from __future__ import annotations

import os
from typing import Any

from framefuzz.execute.child import Announce, Item, Job


def prepare(settings: Any) -> tuple[Job, dict[str, Any]]:
    """The job; settings are not looked at."""
    return run, {"torch": "none"}


def run(item: Item, announce: Announce) -> dict[str, Any]:
    """A judgement in the shape of the real one."""
    source = item["case"]["source"] if "case" in item else item["source"]
    for phase in ("eager", "subject"):
        announce(phase)
        found: list[str] = []
        try:
            exec(source, {"phase": phase, "found": found})
        except (MemoryError, KeyboardInterrupt):
            raise
        except Exception:
            # What a program raises is observed, not suffered.
            continue
    divergences = [
        {
            "oracle": "behaviour",
            "call": 0,
            "path": "out",
            "eager": "int 1",
            "subject": "int 2",
            "kind": "value",
            "facts": [],
            "note": "",
            "signature": signature,
        }
        for signature in found
    ]
    judgement = {
        "case": item["case"]["name"] if "case" in item else "",
        "subject": "toy",
        "status": "diverges" if divergences else "same",
        "divergences": divergences,
        "codes": 1,
        "graphs": 1,
        "breaks": 0,
        "verdicts": [],
        "message": "",
        "seconds": {"eager": 0.001, "subject": 0.001, "observe": 0.0, "oracles": 0.0},
    }
    return {"judgements": [judgement]}


def prepare_fails(settings: Any) -> tuple[Job, dict[str, Any]]:
    """Fails in the server."""
    raise RuntimeError("no such thing")


def exit_fails(settings: Any) -> tuple[Job, dict[str, Any]]:
    """Ends the server."""
    os._exit(9)


def prepare_unless_warm(settings: Any) -> tuple[Job, dict[str, Any]]:
    """Ends the server if it is asked to run warm-ups."""
    if settings["warm"]:
        os._exit(9)
    return prepare(settings)
