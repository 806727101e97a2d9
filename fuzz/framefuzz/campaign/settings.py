"""What a campaign is asked to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from framefuzz.campaign.job import PREPARE
from framefuzz.case import Case
from framefuzz.execute.limits import Limits
from framefuzz.generate import case_for
from framefuzz.subjects.registry import split

# Programs a child.  Fixed, whatever the number of workers: programs in one child can influence
# each other, so which ones share a child must depend on their numbers alone.  A child costs some
# 130 ms by itself: forking, pages copied, its end.
BATCH = 32

# Generated programs that a server runs first, by backend: few where each takes seconds.
_WARM_UPS = {"eager": 8}
_FEW_WARM_UPS = 2


@dataclass(frozen=True)
class Settings:
    """One run of a campaign.

    ``programs`` and ``seconds`` bound the run, whichever comes first; None is no bound.
    ``prepare`` makes the servers' job, and ``program`` writes the program of a seed and an index.
    """

    out: Path
    seed: int
    subject: str = "dynamo"
    backend: str = "eager"
    ignore: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    programs: int | None = None
    seconds: float | None = None
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    prepare: str = PREPARE
    program: Callable[[int, int], Case] = case_for

    @property
    def subjects(self) -> tuple[str, ...]:
        """The names in ``subject``."""
        return split(self.subject)

    def job(self, *, warm: bool = True) -> dict[str, Any]:
        """The settings that ``prepare`` is called with, with or without generated warm-ups."""
        programs = _WARM_UPS.get(self.backend, _FEW_WARM_UPS)
        return {
            "subject": self.subject,
            "backend": self.backend,
            "ignore": list(self.ignore),
            "strict": list(self.strict),
            "bulk": True,
            "warm": programs if warm else 0,
        }
