"""Survival: the compiler's own failures.

Internal errors are seen here; crashes by signal, hangs and exhausted memory by whoever runs the
process (execute/), which reports them through ``death``.
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


def death(call: int, cause: str) -> Divergence:
    """The divergence of a case that killed its process under the subject but not under eager.

    ``cause`` is ``signal 11``, ``exit code 3``, ``deadline 10 s`` or ``memory``.
    """
    kind = {"signal": "signal", "deadline": "hang", "memory": "memory"}.get(
        cause.split()[0], "exit"
    )
    return Divergence(NAME, call, "process", "survived", cause, kind, facts=(cause,))


def _first_line(text: str) -> str:
    return text.strip("'\"").partition("\\n")[0][:200]
