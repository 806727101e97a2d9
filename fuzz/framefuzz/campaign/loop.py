"""The loop of a campaign: one thread that hands out batches, records, confirms, and stops.

It imports no torch and runs no program itself, so nothing that a program does can end it.  What
diverges is on disk before the next result is looked at.

A finding is confirmed once every program of a lower number is finished: the program that stands
for it can then no longer change, and neither does the outcome depend on which worker is faster.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

from framefuzz.campaign import state as campaign_state
from framefuzz.campaign.settings import Settings
from framefuzz.campaign.tally import Clock, Snapshot, Tally
from framefuzz.campaign.worker import Batch, Outcome, Worker, WorkerFailed
from framefuzz.case import Case
from framefuzz.execute.client import Server
from framefuzz.judgement import of_death, overall
from framefuzz.subjects.protocol import InScript
from framefuzz.trace import Divergence
from framefuzz.triage import files
from framefuzz.triage.finding import Finding, FindingsNotWritten, by_state
from framefuzz.triage.signature import signed
from framefuzz.triage.store import FindingStore, PendingConfirmation

# Seconds after the end of --time: for batches that run, and for confirmations.
GRACE_FOR_BATCHES = 8.0
GRACE_FOR_CONFIRMATIONS = 30.0

_TICK = 0.5
_TICK_WHILE_CONFIRMING = 0.05
_PROGRESS_EVERY = 0.25
_MOST_ERROR_FILES = 100
# A line of faulthandler's (CPython Python/traceback.c): where a thread was when it crashed.
_FRAME = re.compile(r'^  File "(?P<file>[^"]*)", line \d+ in (?P<function>\S+)', re.MULTILINE)


class Listener(Protocol):
    """Whoever shows a campaign to a person or a program."""

    def confirmed(self, finding: Finding) -> None:
        """A finding has been confirmed that was none before."""

    def error(self, index: int, text: str) -> None:
        """Judging or recording a program failed, which is the harness's own fault."""

    def progress(self, snapshot: Snapshot) -> None:
        """Called a few times a second."""


@dataclass
class Ending:
    """How a run ended.

    ``failed`` is why the harness could not go on, or empty.  ``stopped`` says that a signal ended
    it.  ``new`` are the findings confirmed in this run.
    """

    snapshot: Snapshot
    new: list[Finding]
    failed: str = ""
    stopped: bool = False


@dataclass
class _Slot:
    """What may be busy: a worker with a batch, or a confirmation in its place."""

    worker: Worker
    clock: Clock = field(default_factory=Clock)
    confirmation: PendingConfirmation | None = None
    confirmed_last: bool = False


class Campaign:
    """One run; use ``run`` once."""

    def __init__(self, settings: Settings, listener: Listener) -> None:
        """Open or create the campaign's folder; raises UnusableFindings."""
        self._settings = settings
        self._listener = listener
        self._state = campaign_state.load(settings)
        self._store = FindingStore(settings.out, settings.seed, settings.backend)
        self._before = {
            finding.signature
            for finding in self._store.load()
            if finding.record.status == "confirmed"
        }
        self._finished_before = sum(self._state.counts.values())
        self._tally = Tally()
        self._slots = [_Slot(Worker(self._start_server)) for _ in range(settings.workers)]
        self._batches = self._state.finished.batches_left(settings.programs)
        self._numbers = next(self._batches, None)
        self._written: Batch | None = None  # the programs of these numbers, once generated
        self._known: set[str] = set()
        self._new: dict[str, Finding] = {}
        self._unconfirmed: set[str] = set()
        self._stop_asked = False
        self._last_progress = 0.0

    @property
    def finished_before(self) -> int:
        """How many programs of this campaign earlier runs have finished."""
        return self._finished_before

    def run(self) -> Ending:
        """Run until all is done, time is up, a signal asks to stop, or the harness fails."""
        failed = ""
        with _signals(self._ask_to_stop) as wake_fd:
            try:
                self._run(wake_fd)
            except WorkerFailed as error:
                failed = str(error)
            except FindingsNotWritten as error:
                failed = str(error)
            except BrokenPipeError:
                # The listener's: nobody reads what a campaign says any more.
                raise
            except OSError as error:
                failed = f"{error.filename or self._settings.out}: {error.strerror}"
            finally:
                ended = self._end()
                failed = failed or ended
        return Ending(self._snapshot(), list(self._new.values()), failed, self._stop_asked)

    def _run(self, wake_fd: int) -> None:
        began = time.monotonic()
        limit = self._settings.seconds
        deadline = None if limit is None else began + limit
        # The folder must take what will be found: better to know now.
        self._state.save(self._settings.out)
        while not self._stop_asked:
            now = time.monotonic()
            if deadline is not None and now > deadline:
                self._numbers = None
                if now > deadline + GRACE_FOR_BATCHES:
                    self._abandon_batches()
                if now > deadline + GRACE_FOR_CONFIRMATIONS:
                    return
            for slot in self._slots:
                self._assign(slot)
            if not any(slot.worker.has_work or slot.confirmation for slot in self._slots):
                return
            self._write_batch()
            self._show_progress()
            self._wait(wake_fd)
            for slot in self._slots:
                self._advance(slot)

    def _assign(self, slot: _Slot) -> None:
        """Give a slot something to do, if it has nothing."""
        if slot.confirmation is None and not slot.worker.has_work:
            signature = self._to_confirm(slot)
            if signature is not None:
                slot.confirmation = self._store.confirm(signature)
                slot.confirmed_last = True
            else:
                batch = self._next_batch()
                if batch is not None:
                    slot.worker.give(batch)
                    slot.confirmed_last = False
        if slot.confirmation is None:
            slot.worker.proceed()
        if slot.confirmation is not None:
            slot.clock.turn_to("confirm")
        elif not slot.worker.has_work:
            slot.clock.turn_to("idle")
        else:
            slot.clock.turn_to("run" if slot.worker.ready else "start")

    def _to_confirm(self, slot: _Slot) -> str | None:
        """A signature to confirm now, if it is this slot's turn."""
        if not self._exhausted:
            # Programs go on meanwhile: half of the workers, or every second time, confirm.
            running = sum(slot.confirmation is not None for slot in self._slots)
            if running >= max(1, len(self._slots) // 2):
                return None
            if len(self._slots) == 1 and slot.confirmed_last:
                return None
        waiting = self._store.pending()
        if not waiting:
            return None
        lowest: dict[str, int] = {}
        for finding in self._store.load():
            if finding.record.status == "pending":
                known = lowest.get(finding.signature, finding.record.index)
                lowest[finding.signature] = min(known, finding.record.index)
        nothing_runs = self._exhausted and not any(slot.worker.has_work for slot in self._slots)
        for signature in waiting:
            if nothing_runs or lowest[signature] < self._state.finished.first_left:
                return signature
        return None

    @property
    def _exhausted(self) -> bool:
        """Whether all programs of this run have been handed out."""
        return self._numbers is None

    def _write_batch(self) -> None:
        """Generate the next batch ahead of time: no worker has to wait for it."""
        if self._numbers is not None and self._written is None:
            settings = self._settings
            self._written = {i: settings.program(settings.seed, i) for i in self._numbers}

    def _next_batch(self) -> Batch | None:
        if self._numbers is None:
            return None
        self._write_batch()
        batch, self._written = self._written, None
        self._numbers = next(self._batches, None)
        return batch

    def _wait(self, wake_fd: int) -> None:
        """Until a server has something to say, or it is time to look after something."""
        confirming = any(slot.confirmation for slot in self._slots)
        with selectors.DefaultSelector() as selector:
            selector.register(wake_fd, selectors.EVENT_READ)
            for slot in self._slots:
                server = slot.worker.server
                if server is None:
                    continue
                if not server.ended:
                    selector.register(server.events_fd, selectors.EVENT_READ)
                if server.unsent:
                    selector.register(server.requests_fd, selectors.EVENT_WRITE)
            ready = selector.select(_TICK_WHILE_CONFIRMING if confirming else _TICK)
        for key, _ in ready:
            if key.fd == wake_fd:
                with contextlib.suppress(BlockingIOError):
                    os.read(wake_fd, 512)

    def _advance(self, slot: _Slot) -> None:
        """Take what a slot has come up with."""
        worker = slot.worker
        if worker.server is not None:
            worker.server.flush()
            worker.server.receive_stderr()
        had_batch, was_ready = bool(worker.running), worker.ready
        outcomes = worker.receive()
        if worker.server is not None and worker.server.ready and not was_ready:
            in_scripts = worker.server.about.get("in_scripts", {})
            self._store.in_scripts = {name: InScript(**one) for name, one in in_scripts.items()}
        for outcome in outcomes:
            self._take(outcome)
        if had_batch and not worker.running:
            self._state.save(self._settings.out)
        if slot.confirmation is not None and slot.confirmation.poll():
            self._take_confirmation(slot.confirmation)
            slot.confirmation = None

    def _take(self, outcome: Outcome) -> None:
        """Record what became of a program; it is finished once that is on disk."""
        event, index, case = outcome.event, outcome.index, outcome.case
        if event["kind"] == "death":
            self._tally.deaths += 1
            if not event["repeated"]:
                return
        if event["kind"] == "error":
            self._note_error(index, case, event["text"])
            self._finish(index, "error")
            return
        died = event["kind"] == "death"
        judgements = self._judge_death(case, event) if died else event["result"]["judgements"]
        for judgement in judgements:
            found = judgement["divergences"]
            for signature in dict.fromkeys(one["signature"] for one in found):
                self._record(index, case, judgement, signature)
        statuses = {one["subject"]: one["status"] for one in judgements}
        status: str = overall(statuses.values())
        if died and status == "diverges":
            status, statuses = "died", dict.fromkeys(statuses, "died")
        self._finish(index, status, [one["seconds"] for one in judgements])
        if len(self._settings.subjects) > 1:
            self._tally.count_each(statuses)

    def _record(self, index: int, case: Case, judgement: dict[str, Any], signature: str) -> None:
        try:
            self._store.record(case, judgement["subject"], judgement, signature, index)
        except FindingsNotWritten:
            raise
        except Exception as error:
            # That is our fault, and no reason to lose what was found.
            self._note_error(index, case, f"{type(error).__name__}: {error}\n{judgement}")
            return
        if signature in self._before:
            self._known.add(signature)

    def _judge_death(self, case: Case, event: dict[str, Any]) -> list[dict[str, Any]]:
        subjects = self._settings.subjects
        judgements = of_death(case.name, subjects, event["phase"], event["cause"])
        for judgement in judgements:
            for found in judgement.divergences:
                _add_circumstances(found, event["said"])
        return signed(judgements, subjects)

    def _finish(self, index: int, status: str, seconds: Sequence[dict[str, float]] = ()) -> None:
        self._tally.count(status, seconds)
        self._state.finished.add(index)
        self._state.counts[status] = self._state.counts.get(status, 0) + 1

    def _take_confirmation(self, confirmation: PendingConfirmation) -> None:
        finding = confirmation.settled
        if finding is None:
            return
        if finding.record.status != "confirmed":
            self._unconfirmed.add(finding.signature)
            return
        self._unconfirmed.discard(finding.signature)
        if finding.signature not in self._before:
            if finding.signature not in self._new:
                self._listener.confirmed(finding)
            self._new[finding.signature] = finding

    def _note_error(self, index: int, case: Case, text: str) -> None:
        self._tally.errors += 1
        if self._tally.errors <= _MOST_ERROR_FILES:
            folder = self._settings.out / "errors"
            folder.mkdir(exist_ok=True)
            files.write_file(folder / f"{case.name}.txt", f"{text}\n\n{case.source}")
        self._listener.error(index, text)

    def _abandon_batches(self) -> None:
        for slot in self._slots:
            if slot.worker.has_work:
                slot.worker.end()

    def _start_server(self, warm: bool) -> Server:
        settings = self._settings
        return Server(settings.prepare, settings.job(warm=warm), settings.limits)

    def _end(self) -> str:
        """End all processes, bring all to disk; say what could not be."""
        for slot in self._slots:
            slot.clock.turn_to("idle")
            slot.worker.end()
            if slot.confirmation is not None:
                slot.confirmation.stop()
        failed = ""
        try:
            self._state.save(self._settings.out)
        except OSError as error:
            failed = f"{self._settings.out}: {campaign_state.NAME}: {error.strerror}"
        try:
            self._store.close()
        except FindingsNotWritten as error:
            failed = failed or str(error)
        return failed

    def _show_progress(self) -> None:
        now = time.monotonic()
        if now - self._last_progress > _PROGRESS_EVERY:
            self._last_progress = now
            self._listener.progress(self._snapshot())

    def _ask_to_stop(self) -> None:
        self._stop_asked = True

    def _snapshot(self) -> Snapshot:
        workers = [slot.worker for slot in self._slots]
        return self._tally.snapshot(
            [slot.clock for slot in self._slots],
            len(self._new),
            len(self._known),
            len(self._unconfirmed),
            by_state(self._store.load())["pending"],
            starting=any(worker.has_work for worker in workers)
            and not any(worker.ready for worker in workers),
        )


def _add_circumstances(found: Divergence, said: str) -> None:
    """Add to a death what its process last said, and which function of torch crashed."""
    found.note = "\n".join(line for line in said.splitlines() if line.strip())[:1000]
    frame = _FRAME.search(said)
    if frame and "/torch/" in frame["file"]:
        found.facts += (f"in {frame['function']}",)


@contextlib.contextmanager
def _signals(ask_to_stop: Any) -> Iterator[int]:
    """Have SIGINT and SIGTERM ask to stop; gives a file descriptor that becomes readable then."""
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def handle(number: int, frame: FrameType | None) -> None:
        ask_to_stop()

    earlier_fd = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    earlier = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield read
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(earlier_fd)
        os.close(read)
        os.close(write)
