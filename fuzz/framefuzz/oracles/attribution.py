"""Who disagrees with whom, where one case was judged for several compilers.

Eager is right; what the other compilers did says whether a divergence is one compiler's own or
common to all, which is then rather the harness's or the program's doing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from framefuzz.observe.render import short
from framefuzz.oracles import behaviour, guards, survival
from framefuzz.oracles.difference import Difference
from framefuzz.trace import Divergence

# Oracles that look at one event, the first difference.
_OF_BEHAVIOUR = (survival.NAME, guards.NAME, behaviour.NAME)

WITH_EAGER = "agrees with eager"
OTHERWISE = "differs otherwise"
BEFORE = "had differed before"
NOTHING = "compiled nothing"


@dataclass(frozen=True)
class Outcome:
    """What was found of one compiler: its first difference and the call, and all divergences."""

    difference: Difference | None
    call: int
    divergences: list[Divergence]
    vacuous: bool


def attribute(outcomes: Mapping[str, Outcome]) -> None:
    """Fill in, for each divergence, what each of the other compilers did there."""
    for name, outcome in outcomes.items():
        for found in outcome.divergences:
            found.others = {
                other: _stands(found, name, outcome, theirs)
                for other, theirs in outcomes.items()
                if other != name
            }


def _stands(found: Divergence, name: str, ours: Outcome, theirs: Outcome) -> str:
    if found.oracle not in _OF_BEHAVIOUR:
        alike = any((d.oracle, d.kind) == (found.oracle, found.kind) for d in theirs.divergences)
        if alike:
            return f"agrees with {name}"
        return NOTHING if theirs.vacuous else WITH_EAGER
    if theirs.difference is None or theirs.call > found.call:
        return NOTHING if theirs.vacuous else WITH_EAGER
    if theirs.call < found.call:
        return BEFORE
    one, other = ours.difference, theirs.difference
    if one is not None and one.path == other.path and _side(one) == _side(other):
        return f"agrees with {name}"
    return OTHERWISE


def _side(difference: Difference) -> str:
    return f"{difference.kind} {short(difference.subject)}"
