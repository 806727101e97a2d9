"""A finding as it lies on disk: ``finding.json`` beside ``case.py`` and ``repro.py``.

FindingRecord is the file's schema; what each key holds is said there and nowhere else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from framefuzz.trace import Divergence

SCHEMA = 1

Status = Literal["confirmed", "unconfirmed", "pending"]

# The folder in which findings of each status lie, and the order in which they are shown.
FOLDERS: dict[Status, str] = {
    "confirmed": "findings",
    "unconfirmed": "unconfirmed",
    "pending": "pending",
}


# Members that only a campaign with several compilers writes.
_OPTIONAL = {"verdicts"}


class UnusableFindings(Exception):
    """A findings folder that cannot be used: one line that names it and the remedy."""

    exit_code = 2


class FindingsNotWritten(Exception):
    """Something found could not be brought to disk: one line that says what and why."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Attempt:
    """How the confirmation of one program went.

    ``repeated`` of ``runs`` fresh interpreters showed the divergence; ``said`` is what the last
    one that did not show it printed.
    """

    index: int
    seed: int | None
    repeated: int
    runs: int
    said: str = ""

    @property
    def rate(self) -> str:
        """As people read it: ``1 of 5``."""
        return f"{self.repeated} of {self.runs}"


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """What ``finding.json`` holds.

    ``divergences`` are the reports of the one event, the one that names it first; in each,
    ``eager`` and ``subject`` are the two sides.  ``subject`` is the compiler under test and
    ``backend`` what it handed its graphs to.  ``index`` and ``seed`` say which program of a
    campaign ``case.py`` is, the lowest that shows the bug in a fresh interpreter.  ``count`` is
    the number of programs that showed it, as of the campaign's last clean end.  ``versions`` are
    those it was found with.  ``found`` and ``confirmed`` are UTC times (ISO 8601), ``confirmed``
    empty until then.  ``attempts`` are the confirmations that did not succeed at once.
    ``verdicts`` are those of each compiler, a word a call, where the campaign has several.
    """

    signature: str
    status: Status
    divergences: tuple[Divergence, ...]
    subject: str
    backend: str
    case: str
    title: str
    index: int
    seed: int | None
    count: int
    versions: Mapping[str, str]
    found: str
    confirmed: str = ""
    attempts: tuple[Attempt, ...] = ()
    verdicts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def lead(self) -> Divergence:
        """The divergence that names the event."""
        return self.divergences[0]

    @property
    def oracles(self) -> tuple[str, ...]:
        """The oracles that reported the event, the one that names it first."""
        return tuple(dict.fromkeys(divergence.oracle for divergence in self.divergences))

    def as_object(self) -> dict[str, Any]:
        """The JSON object that ``finding.json`` holds."""
        members = asdict(self)
        members["divergences"] = [found.as_object() for found in self.divergences]
        if not self.verdicts:
            del members["verdicts"]
        return {"schema": SCHEMA, **members}

    def to_json(self) -> str:
        """The text of ``finding.json``."""
        return json.dumps(self.as_object(), indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding and the folder in which it lies."""

    record: FindingRecord
    folder: Path = field(compare=False)

    @property
    def signature(self) -> str:
        """The signature, which is also its folder's name (a pending one's also has its index)."""
        return self.record.signature

    @property
    def script(self) -> Path:
        """The standalone script that shows the bug."""
        return self.folder / "repro.py"

    def counted(self, count: int) -> Finding:
        """The same finding seen in ``count`` programs, if that is more than it says."""
        return replace(self, record=replace(self.record, count=max(count, self.record.count)))


def read_object(path: Path, schema: int, keys: set[str], what: str, remedy: str) -> dict[str, Any]:
    """A JSON file that holds one object of a schema, with at least these keys.

    Raises UnusableFindings, naming the file, the line and the remedy, if it holds anything else.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableFindings(f"{path}: cannot be read ({error}); {remedy}") from None
    except json.JSONDecodeError as error:
        raise UnusableFindings(
            f"{path}:{error.lineno}: is no JSON ({error.msg}); {remedy}"
        ) from None
    found = data.get("schema") if isinstance(data, dict) else None
    if type(found) is int and found > schema:
        raise UnusableFindings(
            f"{path}: has schema {found}, this framefuzz knows {schema}; "
            "use the newer framefuzz, or another folder"
        )
    if found != schema or not keys <= data.keys():
        raise UnusableFindings(f"{path}: is no {what}; {remedy}")
    checked: dict[str, Any] = data
    return checked


def read_finding(folder: Path) -> Finding:
    """Read the finding that lies in a folder.

    Raises UnusableFindings if its ``finding.json`` is missing, damaged or of a newer schema.
    """
    path = folder / "finding.json"
    keys = {f.name for f in fields(FindingRecord)} - _OPTIONAL
    data = read_object(path, SCHEMA, keys, "finding", "restore it or remove the folder")
    known = {f.name: data[f.name] for f in fields(FindingRecord) if f.name in data}
    try:
        known["attempts"] = tuple(Attempt(**attempt) for attempt in known["attempts"])
        known["divergences"] = tuple(
            Divergence(**{**divergence, "facts": tuple(divergence["facts"])})
            for divergence in known["divergences"]
        )
        known["verdicts"] = {
            name: tuple(words) for name, words in known.get("verdicts", {}).items()
        }
    except (TypeError, KeyError, AttributeError):
        raise UnusableFindings(f"{path}: is no finding; restore it or remove the folder") from None
    return Finding(FindingRecord(**known), folder)


def read_findings(out: Path) -> list[Finding]:
    """All findings of a campaign's folder, in each state, by state and then signature.

    Changes nothing.  Raises UnusableFindings for a folder that is missing, is a file, or holds
    a finding that ``read_finding`` refuses.
    """
    if not out.is_dir():
        what = "is a file, not a folder" if out.exists() else "does not exist"
        raise UnusableFindings(f"{out}: {what}; name the folder given to run --out")
    if not holds_findings(out):
        raise UnusableFindings(f"{out}: holds no findings; name the folder given to run --out")
    findings = []
    for status, name in FOLDERS.items():
        parent = out / name
        for folder in sorted(parent.iterdir()) if parent.is_dir() else ():
            if folder.name.startswith("."):
                continue
            try:
                finding = read_finding(folder)
            except UnusableFindings:
                if folder.exists():
                    raise
                continue  # a running campaign has moved it meanwhile
            # A kill can fall between writing the new status and moving the folder.
            record = replace(finding.record, status=status)
            findings.append(Finding(record, folder))
    return findings


def by_state(findings: Iterable[Finding]) -> dict[str, int]:
    """How many signatures there are in each state.

    Several programs can wait to be confirmed for one signature, which counts once.
    """
    found = {(finding.record.status, finding.signature) for finding in findings}
    counts = Counter(status for status, _ in found)
    return {status: counts[status] for status in FOLDERS}


def holds_findings(out: Path) -> bool:
    """Whether a folder is one that a campaign wrote findings to, or meant to."""
    return any((out / name).is_dir() for name in FOLDERS.values())
