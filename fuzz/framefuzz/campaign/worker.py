"""One worker of a campaign: a fork server, what it runs, and what to do when it dies.

A child that dies is the server's to deal with.  A server that dies, or stops answering, is
started anew.  It may have died of one of its programs (which can kill its parent) or of something
else; the announcement of that program may have died with it.  So what was left of its batch runs
again one program at a time; a program under which the server dies twice more is to blame.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from framefuzz.case import Case
from framefuzz.execute.client import Server

Batch = dict[int, Case]
Event = dict[str, Any]

# Servers in a row that may end without having finished a single program.
_MOST_FAILURES = 5
# Times that a server may die with a program alone before the program is to blame.
_DEADLY = 2


class WorkerFailed(Exception):
    """A worker whose servers do not work: one line that says why."""


@dataclass(frozen=True)
class Outcome:
    """What became of a program: the server's event (framefuzz.execute.forkserver).

    Its kind is ``result``, ``error``, or ``death``.  A death that did not repeat says nothing of
    the program, which has a result as well.
    """

    index: int
    case: Case
    event: Event


class Worker:
    """Has batches judged, one after the other."""

    def __init__(self, start: Callable[[bool], Server]) -> None:
        """``start`` starts a server; none is started before there is a batch.

        It is told whether to have the server run warm-ups: not after one that has ended before
        it was ready, which may have been a warm-up's doing.
        """
        self._start = start
        self.server: Server | None = None
        self.running: Batch = {}
        self._cases: Batch = {}
        self._left: deque[Batch] = deque()
        self._alone = False
        self._deaths: dict[int, int] = {}
        self._current: tuple[int, str] = (-1, "")
        self._failures = 0
        self._warm = True

    @property
    def has_work(self) -> bool:
        """Whether programs run or wait here, or their child has yet to end."""
        ending = self.server is not None and self.server.busy
        return bool(self.running or self._left or ending)

    @property
    def ready(self) -> bool:
        """Whether the server is up."""
        return self.server is not None and self.server.ready

    def give(self, batch: Batch) -> None:
        """Add a batch to what is to be run here."""
        self._left.append(batch)

    def proceed(self) -> None:
        """Start what can be started now.  Raises WorkerFailed if no server can be."""
        if self.running or not self._left:
            return
        if self.server is None:
            try:
                self.server = self._start(self._warm)
            except OSError as error:
                raise WorkerFailed(f"cannot start a server: {error.strerror}") from None
        if self.server.ready and not self.server.busy:
            self.running = self._left.popleft()
            self._cases = dict(self.running)
            self._alone = len(self.running) == 1
            self.server.send(
                [{"id": index, "case": asdict(case)} for index, case in self.running.items()]
            )

    def receive(self) -> list[Outcome]:
        """What has become of programs since it was last asked: results, deaths, errors.

        Raises WorkerFailed.
        """
        if self.server is None:
            return []
        outcomes = []
        for event in self.server.receive():
            kind = event["kind"]
            if kind == "start":
                self._current = (event["id"], "")
            elif kind == "phase":
                self._current = (event["id"], event["phase"])
            elif kind == "failed" and not self.server.ready:
                raise WorkerFailed(event["text"].strip().splitlines()[-1])
            elif kind in ("result", "error", "death"):
                outcome = self._outcome(event)
                if outcome is not None:
                    outcomes.append(outcome)
        gives_up_at = self.server.silent_until()
        if self.server.ended or (gives_up_at is not None and time.monotonic() > gives_up_at):
            outcomes += self._replace_server()
        return outcomes

    def end(self) -> None:
        """Kill the server and all that runs under it; what it had to do is dropped."""
        if self.server is not None:
            self.server.end()
            self.server = None
        self.running = {}
        self._left.clear()

    def _outcome(self, event: Event) -> Outcome | None:
        index = event["id"]
        if event["kind"] == "death" and not event["repeated"]:
            return Outcome(index, self._cases[index], event)
        case = self.running.pop(index, None)
        if case is None:
            return None
        self._failures = 0
        return Outcome(index, case, event)

    def _replace_server(self) -> list[Outcome]:
        assert self.server is not None
        self.server.receive_stderr()
        last_words = self.server.last_words.splitlines()[-1:]
        self._warm = self._warm and self.server.ready
        how = self.server.end()
        self.server = None
        self._failures += 1
        if self._failures == _MOST_FAILURES:
            said = f": {last_words[0]}" if last_words else ""
            raise WorkerFailed(f"{_MOST_FAILURES} servers in a row ended ({how}){said}")
        unfinished, self.running = self.running, {}
        if not unfinished:
            return []
        if self._alone:
            ((index, case),) = unfinished.items()
            self._deaths[index] = self._deaths.get(index, 0) + 1
            if self._deaths[index] == _DEADLY:
                self._failures = 0
                return [Outcome(index, case, self._blame(index, how))]
        self._left.extendleft({index: case} for index, case in reversed(unfinished.items()))
        return []

    def _blame(self, index: int, how: str) -> Event:
        announced, phase = self._current
        return {
            "kind": "death",
            "id": index,
            "phase": phase if announced == index else "",
            "cause": f"server ended ({how})",
            "said": "",
            "repeated": True,
        }
