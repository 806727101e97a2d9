"""Behaviour: what a call returned, raised, printed and left behind, against eager."""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.observe.render import short
from framefuzz.oracles.difference import Comparison, Difference
from framefuzz.oracles.evidence import Evidence
from framefuzz.trace import Divergence, Node, Trace

NAME = "behaviour"


def first_difference(
    eager: Trace, subject: Trace, comparison: Comparison
) -> tuple[int, Difference | None]:
    """The first call whose observations differ, and how; ``(-1, None)`` if there is none."""
    for ours, theirs in zip(eager.calls, subject.calls, strict=False):
        found = comparison.observations(ours.after, theirs.after, own_raise=ours.own_raise)
        if found is not None:
            return ours.index, found
    if len(eager.calls) != len(subject.calls) or eager.calls_raised != subject.calls_raised:
        # The case's own calls() went another way: it saw a difference that was not observed.
        call = min(len(eager.calls), len(subject.calls))
        left, right = (Node("calls", t.calls_raised or f"{len(t.calls)}") for t in (eager, subject))
        return call, Difference("calls", "value", left, right)
    return -1, None


def judge(evidence: Evidence) -> Iterator[Divergence]:
    """The first difference, both sides kept."""
    found = evidence.difference
    if found is None:
        return
    eager, subject = _sides(evidence, found)
    yield Divergence(
        NAME,
        evidence.differing_call,
        found.path,
        eager,
        subject,
        found.kind,
        facts=_facts(evidence, found),
    )


def _facts(evidence: Evidence, found: Difference) -> tuple[str, ...]:
    """The types of both sides; where only values differ, also what the compiler decided.

    A wrong number says little of its cause.  Whether it came with the first compile, with a
    recompile (dynamic numbers) or with a hit keeps unlike bugs apart.
    """
    kinds = tuple(node.kind if node else "nothing" for node in (found.eager, found.subject))
    calls = evidence.subject.calls
    if found.kind in ("bits", "value") and evidence.differing_call < len(calls):
        return (*kinds, calls[evidence.differing_call].verdict.kind)
    return kinds


def _sides(evidence: Evidence, found: Difference) -> tuple[str, str]:
    """Both values as text; where one side raised, the other's outcome instead of nothing."""
    if found.path != "exc" or found.kind != "presence":
        return short(found.eager), short(found.subject)
    call = evidence.differing_call
    texts = []
    for trace, node in ((evidence.eager, found.eager), (evidence.subject, found.subject)):
        returned = trace.calls[call].after.sections.get("out")
        texts.append(f"raised {short(node)}" if node else f"returned {short(returned)}")
    return texts[0], texts[1]
