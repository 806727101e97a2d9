"""Guard verdicts that contradict each other: one entry, one call, two answers.

Dynamo has a fast check and an explaining one, two traversals that can disagree (PyTorch issue
143308); the conditions that it prints are a third statement of the same guards.  Framejit's fast
check reads the frame; the same check over a dict of the frame's locals is a fourth.
"""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.oracles.evidence import Evidence
from framefuzz.subjects.printed_guards import TYPE_OF
from framefuzz.trace import Call, Divergence, EntryCheck

NAME = "inconsistent"

FRAME_ACCEPTED = "frame accepted, dict refused"
FRAME_REFUSED = "frame refused, dict accepted"


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
        if check.by_dict is not None and check.by_dict != check.fast:
            yield _divergence(
                call,
                path,
                f"over a dict of the locals: {_word(check.by_dict)}",
                f"over the frame: {_word(check.fast)} {check.explanation}".rstrip(),
                FRAME_ACCEPTED if check.fast else FRAME_REFUSED,
            )
    yield from _frame_against_dict(call)


def _frame_against_dict(call: Call) -> Iterator[Divergence]:
    """What was decided of the frame that ran, against what the checks said just before.

    Where ``fast`` is over a dict of the locals, this is the frame's own check against it.
    """
    if not call.checks:
        return
    accepting: list[EntryCheck] = [check for check in call.checks if check.fast]
    over_dict = call.checks[0].by_dict is None
    asked = "over a dict of the locals" if over_dict else "asked before"
    ran = "over the frame" if over_dict else "when called"
    if call.verdict.kind == "hit" and not accepting:
        yield _divergence(
            call,
            "frame",
            f"{asked}: no entry accepts",
            f"{ran}: hit",
            FRAME_ACCEPTED if over_dict else "call accepted, check refused",
        )
    if call.verdict.kind == "recompile" and accepting:
        yield _divergence(
            call,
            "frame",
            f"{asked}: entry {accepting[0].entry} accepts",
            f"{ran}: refused",
            FRAME_REFUSED if over_dict else "call refused, check accepted",
        )


def _divergence(call: Call, path: str, eager: str, subject: str, kind: str) -> Divergence:
    return Divergence(NAME, call.index, path, eager, subject, kind)


def _word(verdict: bool | None) -> str:
    return {True: "accepts", False: "refuses", None: "unknown"}[verdict]
