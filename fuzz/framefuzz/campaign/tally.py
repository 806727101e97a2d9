"""What a run of a campaign has done so far, and where its workers' time went."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

# What a worker does: starts its server, runs a batch, confirms a finding, or waits.
Doing = Literal["start", "run", "confirm", "idle"]
# Where the time of a run goes: the phases of judging, what else running a batch takes, the rest.
PHASES = ("eager", "subject", "observe", "oracles")
SHARES = (*PHASES, "other", "confirm", "start", "idle")


@dataclass(frozen=True)
class Snapshot:
    """A run so far; counts are of this run's programs.

    ``seconds`` is wall time.  ``statuses`` counts programs by outcome: same, diverges, vacuous,
    invalid, died (under the subject), error.  ``deaths`` counts children that died, repeated or
    not, ``errors`` failures of the harness itself.  ``new`` findings were confirmed in this run,
    ``known`` ones stood in the folder before and were seen again, ``pending`` ones wait to be
    confirmed.  ``shares`` are parts of the workers' time that sum up to 1, by SHARES.
    ``starting`` says that work waits and no server is up: they import torch.  ``by_subject`` are
    the programs by outcome for each subject, where there are several.
    """

    seconds: float
    programs: int
    statuses: dict[str, int]
    deaths: int
    errors: int
    new: int
    known: int
    unconfirmed: int
    pending: int
    shares: dict[str, float]
    starting: bool = False
    by_subject: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def per_second(self) -> float:
        """Programs a second of wall time."""
        return self.programs / self.seconds if self.seconds else 0.0

    @property
    def vacuous_share(self) -> float:
        """The part of the valid programs under which nothing was compiled."""
        valid = self.programs - self.statuses.get("invalid", 0)
        return self.statuses.get("vacuous", 0) / valid if valid else 0.0

    def to_json(self) -> dict[str, Any]:
        """A JSON object (docs/json.md)."""
        return {
            "seconds": round(self.seconds, 3),
            "programs": self.programs,
            "per_second": round(self.per_second, 3),
            "vacuous_share": round(self.vacuous_share, 4),
            "statuses": dict(sorted(self.statuses.items())),
            "deaths": self.deaths,
            "errors": self.errors,
            "new": self.new,
            "known": self.known,
            "unconfirmed": self.unconfirmed,
            "pending": self.pending,
            "starting": self.starting,
            "shares": {name: round(share, 4) for name, share in self.shares.items()},
            **({"by_subject": self.by_subject} if self.by_subject else {}),
        }


class Clock:
    """Adds up what one worker does."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(("start", "run", "confirm", "idle"), 0.0)
        self._doing: Doing = "idle"
        self._since = time.monotonic()

    def turn_to(self, doing: Doing) -> None:
        """Note that from now on the worker does this."""
        now = time.monotonic()
        self.seconds[self._doing] += now - self._since
        self._doing, self._since = doing, now

    def now(self) -> dict[str, float]:
        """Seconds spent so far, by what was done."""
        self.turn_to(self._doing)
        return self.seconds


class Tally:
    """Counts outcomes and the seconds that judging took, by phase."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.deaths = 0
        self.errors = 0
        self._judging = dict.fromkeys(PHASES, 0.0)
        self._by_subject: dict[str, Counter[str]] = {}
        self._began = time.monotonic()

    def count(self, status: str, seconds: Iterable[dict[str, float]] = ()) -> None:
        """Count a finished program, and what judging it took for each subject."""
        self.statuses[status] += 1
        for took in seconds:
            for phase, part in took.items():
                self._judging[phase] = self._judging.get(phase, 0.0) + part

    def count_each(self, statuses: dict[str, str]) -> None:
        """Count a finished program for each of several subjects, by what it showed there."""
        for subject, status in statuses.items():
            self._by_subject.setdefault(subject, Counter())[status] += 1

    def snapshot(
        self,
        clocks: list[Clock],
        new: int,
        known: int,
        unconfirmed: int,
        pending: int,
        *,
        starting: bool,
    ) -> Snapshot:
        """The run so far; asks the workers' clocks."""
        spent = {name: sum(clock.now()[name] for clock in clocks) for name in clocks[0].seconds}
        other = max(0.0, spent.pop("run") - sum(self._judging.values()))
        parts = {**self._judging, "other": other, **spent}
        whole = sum(parts.values()) or 1.0
        shares = {name: parts[name] / whole for name in SHARES}
        return Snapshot(
            time.monotonic() - self._began,
            sum(self.statuses.values()),
            dict(self.statuses),
            self.deaths,
            self.errors,
            new,
            known,
            unconfirmed,
            pending,
            shares,
            starting,
            {subject: dict(sorted(found.items())) for subject, found in self._by_subject.items()},
        )
