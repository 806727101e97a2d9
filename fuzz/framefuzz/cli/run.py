"""``framefuzz run``: a fuzzing campaign."""

from __future__ import annotations

import os
import signal
import traceback
from pathlib import Path

import click
from rich.console import Console

from framefuzz.campaign import state
from framefuzz.campaign.loop import Campaign, Ending
from framefuzz.campaign.settings import Settings
from framefuzz.cli.durations import seconds_of
from framefuzz.cli.errors import HarnessFailed, Unusable
from framefuzz.cli.options import (
    backend_option,
    ignore_option,
    named_path,
    strict_option,
    subject_option,
)
from framefuzz.cli.views import JsonView, LiveView, PlainView, View
from framefuzz.execute.limits import Limits
from framefuzz.subjects.protocol import SubjectUnavailable
from framefuzz.subjects.registry import require_each
from framefuzz.triage.finding import UnusableFindings

# Seconds a program, for backends that call a C++ compiler for every graph.
_DEADLINES = {"inductor": 60.0}


@click.command()
@subject_option
@backend_option
@click.option("--seed", type=click.IntRange(min=0), help="Default: that of the folder, else 0.")
@click.option("--programs", type=click.IntRange(min=1), help="How many to run now.")
@click.option("--time", "seconds", callback=seconds_of, help="How long: 60, 60s, 10m, 6h.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: len(os.sched_getaffinity(0)),
    show_default="one a processor",
    help="Processes that may be busy at once.",
)
@click.option(
    "--out",
    type=named_path,
    default=Path("framefuzz-out"),
    show_default=True,
    metavar="DIR",
    help="Where findings go; a campaign that is there already is continued.",
)
@ignore_option
@strict_option
@click.option(
    "--deadline",
    callback=seconds_of,
    help="Time that a program may take. Default: 10s, with inductor 60s.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0, min_open=True),
    default=2.0,
    show_default=True,
    help="GiB that a program may take.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line (docs/campaigns.md).")
def run(
    subject: str,
    backend: str,
    seed: int | None,
    programs: int | None,
    seconds: float | None,
    workers: int,
    out: Path,
    ignore: tuple[str, ...],
    strict: tuple[str, ...],
    deadline: float | None,
    memory: float,
    as_json: bool,
) -> None:
    """Generate programs, judge them, keep and confirm what diverges.

    Runs until --programs have been run, --time is up, or Ctrl-C; all that was found is on disk
    at any moment. After --time, batches that run get 5 seconds more and confirmations 30; what
    is left is confirmed by the next run with the same --out, which also continues with the
    programs that follow.

    \b
    Example: framefuzz run --seed 0 --time 10m --workers 2 --out framefuzz-out
    Exit codes: 0 nothing new found, 1 new findings confirmed, 2 wrong usage or unusable folder,
    3 the harness failed. Ctrl-C and SIGTERM end a campaign in order: 0 or 1.
    """
    try:
        require_each(subject)
        settings = Settings(
            out=out,
            seed=seed if seed is not None else state.seed_of(out) or 0,
            subject=subject,
            backend=backend,
            ignore=ignore,
            strict=strict,
            programs=programs,
            seconds=seconds,
            workers=workers,
            limits=Limits(deadline=deadline or _DEADLINES.get(backend, 10.0), memory=memory),
        )
        view = _view(as_json)
        campaign = Campaign(settings, view)
    except (SubjectUnavailable, UnusableFindings) as error:
        raise Unusable(str(error)) from None
    try:
        # While the campaign runs Ctrl-C asks it to stop; another one must not cut its end short.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        view.begin(settings, campaign.finished_before)
        ending = campaign.run()
        code = _exit_code(ending)
        view.end(ending, str(out), code)
    except BrokenPipeError:
        # Nobody reads any more; the interpreter must not try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(3) from None
    except Exception as error:
        raise HarnessFailed(_keep_traceback(out, error)) from None
    if ending.failed:
        raise HarnessFailed(ending.failed)
    raise SystemExit(code)


def _exit_code(ending: Ending) -> int:
    if ending.failed or ending.snapshot.errors:
        return 3
    return 1 if ending.new else 0


def _view(as_json: bool) -> View:
    if as_json:
        return JsonView()
    console = Console()
    return LiveView(console) if console.is_terminal else PlainView()


def _keep_traceback(out: Path, error: Exception) -> str:
    """Write where the harness failed into the folder; say so in a line."""
    said = f"{type(error).__name__}: {error}".partition("\n")[0]
    path = out / "errors" / "framefuzz.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return said
    return f"{said} (see {path})"
