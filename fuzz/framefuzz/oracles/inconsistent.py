"""Guard verdicts that contradict each other: one entry, one call, two answers.

Dynamo has a fast check and an explaining one, two traversals that can disagree (PyTorch issue
143308); the conditions that it prints are a third statement of the same guards.
"""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.oracles.evidence import Evidence
from framefuzz.subjects.printed_guards import TYPE_OF
from framefuzz.trace import Call, Divergence, EntryCheck

NAME = "inconsistent"


def judge(evidence: Evidence) -> Iterator[Divergence]:
    """The first contradiction of each kind."""
    seen: set[str] = set()
    for call in evidence.subject.calls[: evidence.judged_calls]:
        for found in _contradictions(call, "printed-equality" in evidence.comparison.tolerances):
            if found.kind not in seen:
                seen.add(found.kind)
                yield found


def _contradictions(call: Call, types_too: bool) -> Iterator[Divergence]:
    for check in call.checks:
        printed = check.printed
        if not types_too and check.failed.startswith(TYPE_OF):
            printed = True  # as it is printed
        path = f"entry {check.entry}"
        if check.fast != check.explained:
            yield _divergence(
                call,
                path,
                f"fast check: {_word(check.fast)}",
                f"explaining check: {_word(check.explained)} {check.explanation}".rstrip(),
                "fast and explaining check",
            )
        elif printed is not None and printed != check.fast:
            yield _divergence(
                call,
                path,
                f"printed conditions: {_word(printed)} {check.failed}".rstrip(),
                f"fast check: {_word(check.fast)} {check.explanation}".rstrip(),
                f"printed {_word(printed)}, check {_word(check.fast)}",
            )
    yield from _frame_against_dict(call)


def _frame_against_dict(call: Call) -> Iterator[Divergence]:
    """The frame's own check (fast locals) against the same guards over a dict of its locals."""
    if not call.checks:
        return
    accepting: list[EntryCheck] = [check for check in call.checks if check.fast]
    if call.verdict.kind == "hit" and not accepting:
        yield _divergence(
            call,
            "frame",
            "over a dict of the locals: no entry accepts",
            "over the frame: hit",
            "frame accepted, dict refused",
        )
    if call.verdict.kind == "recompile" and accepting:
        yield _divergence(
            call,
            "frame",
            f"over a dict of the locals: entry {accepting[0].entry} accepts",
            "over the frame: refused",
            "frame refused, dict accepted",
        )


def _divergence(call: Call, path: str, eager: str, subject: str, kind: str) -> Divergence:
    return Divergence(NAME, call.index, path, eager, subject, kind)


def _word(verdict: bool | None) -> str:
    return {True: "accepts", False: "refuses", None: "unknown"}[verdict]
