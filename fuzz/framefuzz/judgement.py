"""What was found of one case; imports no torch, so that whoever runs campaigns can use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from framefuzz.trace import Divergence

Status = Literal["same", "diverges", "vacuous", "invalid"]

# Of the JSON object that to_json gives (docs/json.md).
SCHEMA = 1


@dataclass
class Judgement:
    """What was found of one case; ``seconds`` says where the time went, by phase.

    ``side_by_side`` are the verdicts of each compiler by its name, where several were asked.
    """

    case: str
    subject: str
    status: Status
    divergences: list[Divergence] = field(default_factory=list)
    codes: int = 0
    graphs: int = 0
    breaks: int = 0
    verdicts: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    message: str = ""
    line: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    side_by_side: dict[str, list[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """A JSON object of schema 1 (docs/json.md)."""
        members = asdict(self)
        members["divergences"] = [found.as_object() for found in self.divergences]
        if not self.side_by_side:
            del members["side_by_side"]
        return {"schema": SCHEMA, **members}


def overall(statuses: Iterable[Status]) -> Status:
    """The status of a case that was judged for several compilers."""
    found = set(statuses)
    order: tuple[Status, ...] = ("invalid", "diverges", "same")
    return next((status for status in order if status in found), "vacuous")


def of_death(
    case: str, subjects: Sequence[str], phase: str, cause: str, filename: str = ""
) -> list[Judgement]:
    """The judgements of a case that killed its process, twice, the second time alone.

    ``subjects`` are those that it was to be judged for.  ``phase`` is the one that it died in,
    with the subject's name after it where there are several.  ``cause`` is ``signal 11``,
    ``exit code 3``, ``deadline 10 s`` or ``memory``.  A death under one subject is a divergence of
    that one, and leaves none of the others; any other is the case's own doing, whatever the
    subject, and is said of its file where it has one.
    """
    phase, _, name = phase.partition(" ")
    if phase != "subject":
        where = "by itself under eager" if phase == "eager" else f"in phase {phase or 'none'}"
        message = f"{filename or case}: dies {where}: {cause}"
        return [Judgement(case, subject, "invalid", message=message) for subject in subjects]
    kinds = {"signal": "signal", "deadline": "hang", "memory": "memory"}
    kind = kinds.get(cause.split()[0], "exit")
    found = Divergence("survival", -1, "process", "survived", cause, kind, facts=(cause,))
    return [Judgement(case, name or subjects[0], "diverges", [found])]
