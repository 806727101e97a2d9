"""How a running campaign is shown: live on a terminal, plain lines elsewhere, or JSON."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any, Protocol

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from framefuzz.campaign.loop import Ending
from framefuzz.campaign.settings import Settings
from framefuzz.campaign.tally import SHARES, Snapshot
from framefuzz.cli.findings import what_differs
from framefuzz.triage.finding import Finding

# Of the JSON objects that run --json prints (docs/campaigns.md).
SCHEMA = 1

_PLAIN_EVERY = 5.0
_JSON_EVERY = 5.0

# What the parts of the workers' time are called for people.
_SHARE_NAMES = {
    "eager": "eager",
    "subject": "compile and run",
    "observe": "observe",
    "oracles": "oracles",
    "other": "fork and pass on",
    "confirm": "confirm",
    "start": "start",
    "idle": "idle",
}


class View(Protocol):
    """A listener of a campaign (framefuzz.campaign.loop.Listener) that is opened and closed."""

    def begin(self, settings: Settings, finished: int) -> None:
        """A run begins, in a campaign of which so many programs were finished before."""

    def confirmed(self, finding: Finding) -> None: ...

    def error(self, index: int, text: str) -> None: ...

    def progress(self, snapshot: Snapshot) -> None: ...

    def end(self, ending: Ending, out: str, code: int) -> None:
        """The run has ended, with this exit code."""


class PlainView:
    """A line for each new finding, and one every few seconds."""

    def __init__(self, echo: Callable[[str], None] = click.echo) -> None:
        self._echo = echo
        self._last = -math.inf

    def begin(self, settings: Settings, finished: int) -> None:
        self._echo(opening(settings, finished))

    def confirmed(self, finding: Finding) -> None:
        self._echo(f"new finding  {finding.signature}  {_told(finding)}")

    def error(self, index: int, text: str) -> None:
        self._echo(f"program {index} could not be judged: {last_line(text)}")

    def progress(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        if now - self._last > _PLAIN_EVERY:
            self._last = now
            self._echo(f"{clock(snapshot.seconds)}  {counts(snapshot)}; {found(snapshot)}")

    def end(self, ending: Ending, out: str, code: int) -> None:
        for line in summary(ending, out):
            self._echo(line)


class LiveView:
    """A few lines that change in place, with new findings running past above them."""

    def __init__(self, console: Console) -> None:
        # Its own thread would be the second of this process; the campaign asks often enough.
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._console = console
        self._heading = ""

    def begin(self, settings: Settings, finished: int) -> None:
        self._heading = opening(settings, finished)
        self._live.start()
        self._live.update(Text(self._heading, style="bold"), refresh=True)

    def confirmed(self, finding: Finding) -> None:
        line = Text("new finding  ", style="red bold")
        line.append(finding.signature, style="bold")
        line.append(f"  {_told(finding)}", style="default")
        self._live.console.print(line)

    def error(self, index: int, text: str) -> None:
        said = f"program {index} could not be judged: {last_line(text)}"
        self._live.console.print(Text(said, style="magenta"))

    def progress(self, snapshot: Snapshot) -> None:
        rows = Table.grid(padding=(0, 2))
        rows.add_row(clock(snapshot.seconds), counts(snapshot))
        rows.add_row("findings", found(snapshot))
        rows.add_row("time", times(snapshot))
        self._live.update(Group(Text(self._heading, style="bold"), rows), refresh=True)

    def end(self, ending: Ending, out: str, code: int) -> None:
        self._live.stop()
        for line in summary(ending, out):
            self._console.print(Text(line))


class JsonView:
    """One JSON object a line (docs/campaigns.md)."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def begin(self, settings: Settings, finished: int) -> None:
        _say(
            "start",
            seed=settings.seed,
            subject=settings.subject,
            backend=settings.backend,
            workers=settings.workers,
            out=str(settings.out),
            finished_before=finished,
        )

    def confirmed(self, finding: Finding) -> None:
        _say("finding", finding=finding.record.as_object(), script=str(finding.script))

    def error(self, index: int, text: str) -> None:
        _say("error", program=index, text=text)

    def progress(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        if now - self._last > _JSON_EVERY:
            self._last = now
            _say("progress", **snapshot.to_json())

    def end(self, ending: Ending, out: str, code: int) -> None:
        _say(
            "end",
            **ending.snapshot.to_json(),
            findings=sorted(finding.signature for finding in ending.new),
            stopped=ending.stopped,
            failed=ending.failed,
            exit_code=code,
        )


def _say(event: str, **content: Any) -> None:
    click.echo(json.dumps({"schema": SCHEMA, "event": event, **content}))


def opening(settings: Settings, finished: int) -> str:
    """What a run is about, in a line."""
    workers = f"{settings.workers} worker{'' if settings.workers == 1 else 's'}"
    begins = f", continuing after {finished} programs" if finished else ""
    return (
        f"framefuzz: {settings.subject}, backend {settings.backend}, seed {settings.seed}, "
        f"{workers}, into {settings.out}{begins}"
    )


def _told(finding: Finding) -> str:
    lead = finding.record.lead
    return f"{lead.oracle}: {what_differs(lead)}"


def counts(snapshot: Snapshot) -> str:
    """Programs, and what became of those that tested nothing."""
    if snapshot.starting and not snapshot.programs:
        return "starting torch, which takes 5 to 30 seconds"
    return (
        f"{snapshot.programs} programs, {snapshot.per_second:.1f} a second, "
        f"{snapshot.vacuous_share:.1%} vacuous, {snapshot.statuses.get('invalid', 0)} invalid, "
        f"{snapshot.deaths} deaths"
    )


def found(snapshot: Snapshot) -> str:
    """Findings by state."""
    states = {
        "new": snapshot.new,
        "known": snapshot.known,
        "to be confirmed": snapshot.pending,
        "not repeated": snapshot.unconfirmed,
    }
    shown = [f"{n} {name}" for name, n in states.items() if n or name in ("new", "known")]
    return ", ".join(shown)


def times(snapshot: Snapshot) -> str:
    """Where the workers' time went, by share."""
    shares = sorted(SHARES, key=lambda name: -snapshot.shares[name])
    return ", ".join(f"{_SHARE_NAMES[name]} {snapshot.shares[name]:.0%}" for name in shares)


def summary(ending: Ending, out: str) -> list[str]:
    """The last lines of a run."""
    snapshot = ending.snapshot
    lines = [
        f"{'stopped after' if ending.stopped else 'ran'} {clock(snapshot.seconds)}: "
        f"{counts(snapshot)}",
        f"findings: {found(snapshot)}",
    ]
    for subject, statuses in snapshot.by_subject.items():
        counted = ", ".join(f"{count} {status}" for status, count in statuses.items())
        lines.append(f"  {subject}: {counted}")
    lines += [f"  {finding.signature}  {_told(finding)}" for finding in ending.new]
    lines.append(f"time: {times(snapshot)}")
    if snapshot.pending:
        lines.append("what is to be confirmed will be by the next run with the same --out")
    if snapshot.errors:
        lines.append(f"{snapshot.errors} programs could not be judged: see {out}/errors")
    if ending.new:
        lines.append(f"scripts: {out}/findings/*/repro.py")
    return lines


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def last_line(text: str) -> str:
    """The last line of a text that says something."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else ""
