"""``campaign.json``: where a campaign stands, so that a later run continues it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from framefuzz.campaign.finished import Finished
from framefuzz.campaign.settings import Settings
from framefuzz.triage import files
from framefuzz.triage.finding import UnusableFindings, read_object
from framefuzz.triage.store import versions

SCHEMA = 1
NAME = "campaign.json"

# The same number means another program, or another outcome, with another of these.
_MUST_AGREE = ("torch", "python", "framefuzz")


@dataclass
class State:
    """What is known of a campaign across its runs; ``counts`` are of programs, by outcome."""

    seed: int
    subject: str
    backend: str
    versions: dict[str, str]
    finished: Finished = field(default_factory=Finished)
    counts: dict[str, int] = field(default_factory=dict)

    def save(self, out: Path) -> None:
        """Write it to a campaign's folder, whole or not at all; raises OSError."""
        data = {
            "schema": SCHEMA,
            "seed": self.seed,
            "subject": self.subject,
            "backend": self.backend,
            "versions": self.versions,
            "finished": self.finished.first_left,
            "finished_beyond": sorted(self.finished.beyond),
            "counts": dict(sorted(self.counts.items())),
        }
        files.write_file(out / NAME, json.dumps(data, indent=2) + "\n")


def seed_of(out: Path) -> int | None:
    """The seed of the campaign in a folder, or None where there is none.

    Raises UnusableFindings as ``load`` does.
    """
    data = _read(out)
    return None if data is None else int(data["seed"])


def load(settings: Settings) -> State:
    """The state in the folder of a campaign, or a new one.

    Raises UnusableFindings if the folder's campaign cannot be continued with these settings and
    versions.
    """
    here = {name: versions()[name] for name in _MUST_AGREE}
    data = _read(settings.out)
    if data is None:
        return State(settings.seed, settings.subject, settings.backend, here)
    asked = {
        "seed": str(settings.seed),
        "subject": settings.subject,
        "backend": settings.backend,
        **here,
    }
    had = {**data, **data["versions"]}
    for name, value in asked.items():
        if str(had.get(name)) != value:
            raise UnusableFindings(
                f"{settings.out}: holds a campaign with {name} {had.get(name)}, not {value}; "
                "name another folder"
            )
    return State(
        settings.seed,
        settings.subject,
        settings.backend,
        here,
        Finished(data["finished"], data["finished_beyond"]),
        data["counts"],
    )


def require_readable(out: Path) -> None:
    """Raise UnusableFindings if the folder's campaign is damaged or of a newer schema."""
    _read(out)


def _read(out: Path) -> dict[str, Any] | None:
    path = out / NAME
    if not path.is_file():
        return None
    keys = {"seed", "subject", "backend", "versions", "finished", "finished_beyond", "counts"}
    return read_object(path, SCHEMA, keys, "campaign's state", "restore it or name another folder")
