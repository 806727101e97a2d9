"""Survival: the compiler's own failures.

Internal errors are seen here; crashes by signal, hangs and exhausted memory by whoever watches
the process (framefuzz.judgement.of_death).
"""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.oracles.evidence import Evidence
from framefuzz.trace import Divergence

NAME = "survival"


def judge(evidence: Evidence) -> Iterator[Divergence]:
    """An exception of the compiler's own that left a call."""
    call = evidence.differing_call
    if evidence.difference is None or call >= len(evidence.subject.calls):
        return
    failed = evidence.subject.calls[call]
    if not failed.internal_error or not evidence.difference.path.startswith("exc"):
        return
    raised = failed.after.sections["exc"]
    message = raised.parts[0][1].text if raised.parts else ""
    kind = "unsupported" if raised.kind == "Unsupported" else "internal error"
    eager = evidence.eager.calls[call].after.sections
    yield Divergence(
        NAME,
        call,
        "exc",
        f"raised {eager['exc'].kind}" if "exc" in eager else "returned",
        f"{raised.kind}: {_first_line(message)}",
        kind,
        facts=(failed.internal_error,),
    )


def _first_line(text: str) -> str:
    return text.strip("'\"").partition("\\n")[0][:200]
