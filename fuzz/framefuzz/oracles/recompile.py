"""Guard verdicts that refused a call which they should have accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from framefuzz.oracles.evidence import Evidence
from framefuzz.trace import Call, Divergence

NAME = "recompile"

# Dynamo's default recompile limit; a program with fewer states than this cannot need to reach it.
FEW_STATES = 8

_COMPILED = ("hit", "compile", "recompile")
# In an unchanged state a type guard fails only for a class that was made anew.
_IDENTITY_GUARDS = (
    "___check_obj_id(",
    "___check_type_id(",
    "ID_MATCH",
    " is ",
    "has been deleted",
    "weakref",
)


def judge(evidence: Evidence) -> Iterator[Divergence]:
    """The first needless compile: in an unchanged state, after STEADY, or up to the limit."""
    for call in evidence.subject.calls[: evidence.judged_calls]:
        if not evidence.subject.codes_during(call.index):
            continue
        found = _after_steady(evidence, call) or _same_state(evidence, call)
        if found is not None:
            yield found
            return
    if evidence.subject.limit_hit and evidence.difference is None:
        found = _up_to_the_limit(evidence)
        if found is not None:
            yield found


def _up_to_the_limit(evidence: Evidence) -> Divergence | None:
    calls = evidence.subject.calls[: evidence.judged_calls]
    states = len({evidence.state_before(call.index) for call in calls})
    if states < FEW_STATES:
        states = len({_seen_from(evidence, call.index) for call in calls})
    guards = [guard for call in calls for guard in call.verdict.guards]
    if states >= FEW_STATES:
        return None
    if _excused(evidence, guards):
        return None
    return Divergence(
        NAME,
        calls[-1].index,
        "verdict",
        f"{states} states before {len(calls)} calls",
        f"{evidence.subject.limit_hit} reached",
        "limit",
        facts=_guard_kinds(guards),
    )


def _after_steady(evidence: Evidence, call: Call) -> Divergence | None:
    if evidence.steady is None or call.index < evidence.steady:
        return None
    return Divergence(
        NAME,
        call.index,
        "verdict",
        f"nothing new to compile from call {evidence.steady} on",
        _what_failed(call),
        "after STEADY",
        facts=_guard_kinds(call.verdict.guards),
    )


def _same_state(evidence: Evidence, call: Call) -> Divergence | None:
    state = evidence.state_before(call.index)
    for earlier in evidence.subject.calls[: call.index]:
        if earlier.verdict.kind not in _COMPILED or "exc" in earlier.after.sections:
            continue
        if evidence.state_before(earlier.index) != state or _was_emptied(call):
            continue
        if _excused(evidence, call.verdict.guards):
            return None
        if evidence.course_of(earlier.index) != evidence.course_of(call.index):
            continue
        return Divergence(
            NAME,
            call.index,
            "verdict",
            f"the state is that before call {earlier.index}, which ran compiled",
            _what_failed(call),
            "same state",
            facts=_guard_kinds(call.verdict.guards),
        )
    return None


def _seen_from(evidence: Evidence, call: int) -> tuple[bytes, bytes]:
    """All that is known of what a call found: the state before it, and what it then saw."""
    return evidence.state_before(call), evidence.course_of(call)


def _was_emptied(call: Call) -> bool:
    """Whether there was no entry left that could have refused: the program can drop them all."""
    return call.verdict.kind == "compile" and not call.verdict.guards


def _what_failed(call: Call) -> str:
    failed = "; ".join(call.verdict.guards[:3])
    return f"compiled again: {failed}" if failed else "compiled again"


def _excused(evidence: Evidence, guards: Sequence[str]) -> bool:
    """Tolerance "fresh-identity": a guard that failed asks for the identity of an object.

    One is enough: each entry gives one failed guard, without saying which entry it is, and those
    compiled in other states fail for their own good reasons.
    """
    if "fresh-identity" not in evidence.comparison.tolerances:
        return False
    return any(mark in guard for guard in guards for mark in _IDENTITY_GUARDS)


def _guard_kinds(guards: Sequence[str]) -> tuple[str, ...]:
    """The failing guards without the program's names: what sort of guards they are."""
    return tuple(dict.fromkeys(_kind(guard) for guard in guards))


def _kind(guard: str) -> str:
    if guard.startswith("tensor "):
        return "tensor"
    if guard.startswith("___"):
        return guard.partition("(")[0].strip("_")
    if guard.startswith("len("):
        return "length"
    for sign in (" == ", " is ", " in ", " <= ", " < ", " >= ", " > ", " != "):
        if sign in guard:
            return sign.strip()
    return guard.split()[0] if guard else ""
