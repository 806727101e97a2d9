"""Guard verdicts that refused a call which they should have accepted."""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.oracles.evidence import Evidence
from framefuzz.trace import Call, Divergence

NAME = "recompile"

# Dynamo's default recompile limit; a program with fewer states than this cannot need to reach it.
FEW_STATES = 8

_COMPILED = ("hit", "compile", "recompile")
_IDENTITY_GUARDS = ("___check_obj_id(", "ID_MATCH", " is ", "has been deleted", "weakref")


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
        calls = range(evidence.judged_calls)
        states = len({evidence.state_before(call) for call in calls})
        if states < FEW_STATES:
            yield Divergence(
                NAME,
                evidence.judged_calls - 1,
                "verdict",
                f"{states} states before {len(calls)} calls",
                f"{evidence.subject.limit_hit} reached",
                "limit",
                facts=_guard_kinds(evidence.subject.calls[-1]),
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
        facts=_guard_kinds(call),
    )


def _same_state(evidence: Evidence, call: Call) -> Divergence | None:
    state = evidence.state_before(call.index)
    for earlier in evidence.subject.calls[: call.index]:
        if earlier.verdict.kind not in _COMPILED or "exc" in earlier.after.sections:
            continue
        if evidence.state_before(earlier.index) != state:
            continue
        if "fresh-identity" in evidence.comparison.tolerances and _all_identity(call):
            return None
        return Divergence(
            NAME,
            call.index,
            "verdict",
            f"the state is that before call {earlier.index}, which ran compiled",
            _what_failed(call),
            "same state",
            facts=_guard_kinds(call),
        )
    return None


def _what_failed(call: Call) -> str:
    failed = "; ".join(call.verdict.guards[:3])
    return f"compiled again: {failed}" if failed else "compiled again"


def _all_identity(call: Call) -> bool:
    guards = call.verdict.guards
    return bool(guards) and all(any(mark in guard for mark in _IDENTITY_GUARDS) for guard in guards)


def _guard_kinds(call: Call) -> tuple[str, ...]:
    """The failing guards without the program's names: what sort of guards they are."""
    return tuple(dict.fromkeys(_kind(guard) for guard in call.verdict.guards))


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
