"""A campaign's findings on disk.

    OUT/findings/<signature>/            confirmed: case.py, finding.json, repro.py
    OUT/unconfirmed/<signature>/         the same, for what did not repeat, with its rate
    OUT/pending/<signature>~<index>/     recorded, and not yet tried in a fresh interpreter
    OUT/sightings.log                    in which programs each signature was seen (tally.py)
    OUT/.writer                          locked by the campaign that writes here

A folder appears whole or not at all, and moves from ``pending`` by being renamed, so that a kill
or a full disk at any point loses nothing that ``record`` returned from.

Which program stands for a signature must not depend on the order in which workers finish: it is
the one of the lowest index that shows the bug in a fresh interpreter, among the first CANDIDATES
by index.  So a later, lower one takes the place of another once it is confirmed itself.
"""

from __future__ import annotations

import datetime
import fcntl
import functools
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from framefuzz.case import Case
from framefuzz.subjects.protocol import InScript
from framefuzz.trace import Divergence
from framefuzz.triage import files
from framefuzz.triage.confirm import Confirmation, Rate
from framefuzz.triage.finding import (
    FOLDERS,
    Attempt,
    Finding,
    FindingRecord,
    FindingsNotWritten,
    UnusableFindings,
    holds_findings,
    read_finding,
    read_findings,
)
from framefuzz.triage.repro import render
from framefuzz.triage.signature import lead_of
from framefuzz.triage.tally import Sighting, Tally, read_tally

# How many programs of one signature are tried before it counts as one that does not repeat.
CANDIDATES = 3


class FindingStore:
    """The findings folder of one campaign, open for writing; use as a context manager.

    Every method that writes raises FindingsNotWritten if the disk does not take it, having
    changed nothing: the call can be repeated.
    """

    def __init__(self, out: str | Path, seed: int | None = None, backend: str = "eager") -> None:
        """Open or create a findings folder.

        ``seed`` is that of the programs to be recorded, ``backend`` what the compiler under test
        hands its graphs to.  Raises UnusableFindings, having touched
        nothing, if ``out`` is a file, cannot be written, is in use by another campaign, or holds
        what this version cannot read.
        """
        self.out = Path(out)
        # How scripts compile with each subject; without it a finding's script only says so.
        self.in_scripts: Mapping[str, InScript] = {}
        self._seed = seed
        self._backend = backend
        self._refuse_unusable()
        try:
            for name in FOLDERS.values():
                (self.out / name).mkdir(parents=True, exist_ok=True)
            self._lock = self._take_lock()
            self._tidy()
            self._tally = Tally(self.out / "sightings.log")
        except OSError as error:
            raise UnusableFindings(
                f"{self.out}: cannot be written ({error.strerror}); name another folder"
            ) from None
        self._findings: dict[str, Finding] = {}
        self._pending: dict[str, dict[int, Finding]] = {}
        self._under_way: set[str] = set()
        # Confirmed ones come first, pending ones last.
        for finding in read_findings(self.out):
            if finding.record.status == "pending":
                self._pending.setdefault(finding.signature, {})[finding.record.index] = finding
            elif self._findings.setdefault(finding.signature, finding) is not finding:
                files.remove_folder(finding.folder)
        for finding in self._findings.values():
            if finding.record.status == "confirmed":
                self._drop_pending(finding.signature, above=finding.record.index)

    def __enter__(self) -> FindingStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def record(
        self,
        case: Case,
        subject: str,
        judgement: Mapping[str, Any],
        signature: str,
        index: int,
    ) -> tuple[str, bool]:
        """Keep what a program showed; on disk when this returns.

        ``judgement`` is the JSON form of what the oracles said of the case, one or more of whose
        divergences have the signature.  ``index`` is the program's place in the campaign.
        Returns the signature and whether it is new to this folder; only a new one, or one of a
        lower index than any before, costs more than a line in a file.
        """
        is_new = not self._knows(signature)
        try:
            if self._is_candidate(signature, index):
                finding = self._write_pending(case, subject, judgement, signature, index)
                self._pending.setdefault(signature, {})[index] = finding
            self._tally.add(Sighting(signature, self._seed_text, index))
        except OSError as error:
            raise FindingsNotWritten(
                f"{self.out}: {signature} of program {index} could not be written "
                f"({error.strerror})"
            ) from error
        return signature, is_new

    def pending(self) -> list[str]:
        """The signatures for which a program waits to be confirmed, by program index.

        One whose confirmation is under way is left out.
        """
        waiting = self._pending.keys() - self._under_way
        return sorted(waiting, key=lambda signature: (min(self._pending[signature]), signature))

    def confirm(self, signature: str) -> PendingConfirmation:
        """Start to confirm a signature's lowest pending program.

        Raises KeyError if none is pending, OSError if no process can be made.
        """
        programs = self._pending[signature]
        confirmation = PendingConfirmation(self, programs[min(programs)])
        self._under_way.add(signature)
        return confirmation

    def finish(self, finding: Finding, rate: Rate | None) -> Finding | None:
        """File a pending finding by how its confirmation went, or leave it pending without one.

        Returns it as it now stands, or None if it stays pending, or if another program already
        stands for the signature (one that was confirmed, or of a lower index).
        """
        settled = None
        if rate is not None:
            try:
                settled = self._settle(finding, rate)
            except OSError as error:
                raise FindingsNotWritten(
                    f"{self.out}: {finding.signature} could not be filed ({error.strerror})"
                ) from error
        self._under_way.discard(finding.signature)
        return settled

    def load(self) -> list[Finding]:
        """All findings in every state, by state and signature, with their counts."""
        states = list(FOLDERS)
        every = [*self._findings.values(), *(f for p in self._pending.values() for f in p.values())]
        every.sort(key=lambda f: (states.index(f.record.status), f.signature, f.record.index))
        return [finding.counted(self._tally.count(finding.signature)) for finding in every]

    def close(self) -> None:
        """Write the counts into each ``finding.json`` and give the folder free."""
        try:
            self._tally.close()
            for finding in self.load():
                if finding.record != read_finding(finding.folder).record:
                    files.write_file(finding.folder / "finding.json", finding.record.to_json())
        except OSError as error:
            raise FindingsNotWritten(
                f"{self.out}: counts could not be written ({error.strerror})"
            ) from error
        finally:
            os.close(self._lock)

    def _settle(self, finding: Finding, rate: Rate) -> Finding | None:
        signature, index = finding.signature, finding.record.index
        standing = self._findings.get(signature)
        attempts = () if standing is None else standing.record.attempts
        if rate.repeated == rate.runs:
            record = replace(
                finding.record, status="confirmed", confirmed=_now(), attempts=attempts
            )
            filed = self._file(record, finding)
            self._drop_pending(signature, above=index)
            if standing is not None and standing.record.status == "unconfirmed":
                files.remove_folder(standing.folder)
            return filed
        attempt = Attempt(index, self._seed, rate.repeated, rate.runs, rate.said)
        attempts = tuple(sorted((*attempts, attempt), key=lambda attempt: attempt.index))
        if standing is None or (
            standing.record.status == "unconfirmed" and index < standing.record.index
        ):
            record = replace(finding.record, status="unconfirmed", attempts=attempts)
            return self._file(record, finding)
        record = replace(standing.record, attempts=attempts)
        files.write_file(standing.folder / "finding.json", record.to_json())
        self._findings[signature] = replace(standing, record=record)
        files.remove_folder(finding.folder)
        self._forget_pending(signature, index)
        return None

    def _file(self, record: FindingRecord, finding: Finding) -> Finding:
        """Move a pending finding to the folder of its new state."""
        folder = self.out / FOLDERS[record.status] / record.signature
        files.write_file(finding.folder / "finding.json", record.to_json())
        files.move_folder(finding.folder, folder)
        filed = self._findings[record.signature] = Finding(record, folder)
        self._forget_pending(record.signature, record.index)
        return filed

    def _forget_pending(self, signature: str, index: int) -> None:
        del self._pending[signature][index]
        if not self._pending[signature]:
            del self._pending[signature]

    def _drop_pending(self, signature: str, above: int) -> None:
        for index, finding in list(self._pending.get(signature, {}).items()):
            if index > above:
                files.remove_folder(finding.folder)
                self._forget_pending(signature, index)

    def _knows(self, signature: str) -> bool:
        return (
            signature in self._findings
            or signature in self._pending
            or self._tally.knows(signature)
        )

    def _is_candidate(self, signature: str, index: int) -> bool:
        """Whether a program could come to stand for the signature."""
        standing = self._findings.get(signature)
        attempts = () if standing is None else standing.record.attempts
        rivals = {*self._pending.get(signature, ()), *(attempt.index for attempt in attempts)}
        if index in rivals:
            return False
        if standing is not None and standing.record.status == "confirmed":
            return index < standing.record.index
        return len(rivals) < CANDIDATES or index < sorted(rivals)[CANDIDATES - 1]

    def _write_pending(
        self, case: Case, subject: str, judgement: Mapping[str, Any], signature: str, index: int
    ) -> Finding:
        members = [
            Divergence(**{**divergence, "facts": tuple(divergence["facts"])})
            for divergence in judgement["divergences"]
            if divergence["signature"] == signature
        ]
        lead = lead_of(members)
        record = FindingRecord(
            signature=signature,
            status="pending",
            divergences=(lead, *(member for member in members if member is not lead)),
            subject=subject,
            backend=self._backend,
            case=case.name,
            title=case.title,
            index=index,
            seed=self._seed,
            count=1,
            versions=versions(),
            found=_now(),
            verdicts={
                name: tuple(words) for name, words in judgement.get("side_by_side", {}).items()
            },
        )
        folder = self.out / FOLDERS["pending"] / f"{signature}~{index}"
        files.write_folder(
            folder,
            {
                "case.py": case.source,
                "repro.py": _script(case, record, self.in_scripts.get(subject)),
                "finding.json": record.to_json(),
            },
        )
        return Finding(record, folder)

    @property
    def _seed_text(self) -> str:
        return "" if self._seed is None else str(self._seed)

    def _refuse_unusable(self) -> None:
        if self.out.exists() and not self.out.is_dir():
            raise UnusableFindings(f"{self.out}: is a file, not a folder; name another folder")
        if holds_findings(self.out):
            read_findings(self.out)

    def _take_lock(self) -> int:
        lock = os.open(self.out / ".writer", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            # A POSIX lock: not inherited by children that outlive a killed campaign.
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise UnusableFindings(
                f"{self.out}: another campaign writes here; wait for it or name another folder"
            ) from None
        return lock

    def _tidy(self) -> None:
        for name in FOLDERS.values():
            parent = self.out / name
            files.tidy(parent)
            for folder in parent.iterdir():
                files.tidy(folder)


class PendingConfirmation:
    """A confirmation under way; ``poll`` it until it has filed the finding."""

    def __init__(self, store: FindingStore, finding: Finding) -> None:
        """Start the first run; raises OSError if no process can be made."""
        self._store = store
        self._finding = finding
        self._confirmation = Confirmation(finding.script)
        self.signature = finding.signature
        self.settled: Finding | None = None
        self._done = False

    def poll(self) -> bool:
        """Whether it is over; ``settled`` then is the finding as filed, or None if dropped."""
        if not self._done:
            rate = self._confirmation.poll()
            if rate is not None:
                self.settled = self._store.finish(self._finding, rate)
                self._done = True
        return self._done

    def stop(self) -> None:
        """End it without a result; the finding stays pending, for the next campaign."""
        if not self._done:
            self._confirmation.stop()
            self._store.finish(self._finding, None)
            self._done = True


def load_findings(out: str | Path) -> list[Finding]:
    """The findings of a folder with their counts, without writing; a campaign may be running.

    Raises UnusableFindings as ``read_findings`` does.
    """
    findings = read_findings(Path(out))
    counts = read_tally(Path(out) / "sightings.log")
    return [finding.counted(counts.get(finding.signature, 0)) for finding in findings]


@functools.cache
def versions() -> dict[str, str]:
    """What a finding was found with, by name; torch's from its metadata, without importing it."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in ("torch", "framefuzz"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "unknown"
    return found


def _script(case: Case, record: FindingRecord, in_script: InScript | None) -> str:
    """The script of a finding; where none can be made, one that says so and confirms nothing."""
    try:
        return render(case, record, in_script)
    except Exception as error:  # whatever went wrong, what was found must not be lost
        said = f"no script could be made: {type(error).__name__}: {error}"
        return f"import sys\n\nprint({said!r})\nsys.exit(2)\n"


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
