"""``framefuzz replay``: are the findings still there, with the torch at hand?"""

from __future__ import annotations

import ast
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from framefuzz.campaign.state import require_readable
from framefuzz.cli.durations import seconds_of
from framefuzz.cli.errors import HarnessFailed, Unusable
from framefuzz.cli.options import named_path
from framefuzz.triage.confirm import DEADLINE, Outcome, ScriptRun, Shows
from framefuzz.triage.finding import UnusableFindings, holds_findings
from framefuzz.triage.store import load_findings, versions

_COLOURS = {Shows.THERE: "red", Shows.GONE: "green", Shows.OTHER: "yellow"}


@click.command()
@click.argument("paths", nargs=-1, metavar="[DIR|FINDING|SCRIPT]...", type=named_path)
@click.option(
    "--deadline",
    callback=seconds_of,
    default=f"{DEADLINE:g}s",
    show_default=True,
    help="Time that a script may take.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a script (docs/json.md).")
def replay(paths: tuple[Path, ...], deadline: float, as_json: bool) -> None:
    """Run the scripts of findings again, each in a fresh interpreter.

    DIR is a folder given to run --out: its confirmed findings are run. FINDING is the folder of
    one, SCRIPT a repro.py. Without any, framefuzz-out is taken.

    \b
    Examples: framefuzz replay DIR
              framefuzz replay DIR/findings/behaviour-cells-value-int-54e13d
    Exit codes: 0 all are gone, 1 some are still there, 2 unusable input,
    3 none is still there, but some script did neither show its bug nor run to its end.
    """
    scripts = [script for path in paths or (Path("framefuzz-out"),) for script in _scripts(path)]
    at_hand = versions()
    if not as_json:
        click.echo(f"torch {at_hand['torch']}, Python {at_hand['python']}", err=True)
    outcomes = Counter(_run(scripts, deadline, as_json))
    if not as_json:
        said = ", ".join(f"{outcomes[shows]} {shows.value}" for shows in Shows if outcomes[shows])
        click.echo(said or "nothing to replay", err=True)
    if outcomes[Shows.THERE]:
        raise SystemExit(1)
    raise SystemExit(3 if outcomes[Shows.OTHER] else 0)


def _scripts(path: Path) -> list[Path]:
    """The scripts that a path stands for."""
    if path.is_file():
        if path.suffix != ".py":
            raise Unusable(f"{path}: is no script; name a repro.py or a folder")
        if _is_case(path):
            raise Unusable(f"{path}: is a case, not a script; framefuzz check judges it")
        return [path]
    if (path / "repro.py").is_file():
        return [path / "repro.py"]
    if not path.exists():
        raise Unusable(f"{path}: does not exist; name the folder given to run --out, or a script")
    if holds_findings(path):
        try:
            require_readable(path)
            found = load_findings(path)
        except UnusableFindings as error:
            raise Unusable(str(error)) from None
        return [one.script for one in found if one.record.status == "confirmed"]
    inside = sorted(path.glob("*/repro.py"))
    if not inside:
        raise Unusable(f"{path}: holds no findings; name the folder given to run --out")
    return inside


def _is_case(path: Path) -> bool:
    """Whether a file defines a program but would not run it: as a script it says nothing."""
    try:
        statements = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return False  # running it will say what is wrong
    defined = {one.name for one in statements if isinstance(one, ast.FunctionDef)}
    return {"make", "calls"} <= defined and not any(isinstance(one, ast.If) for one in statements)


def _run(scripts: Iterable[Path], deadline: float, as_json: bool) -> list[Shows]:
    shown = []
    for script in scripts:
        started = time.monotonic()
        try:
            run = ScriptRun(script.absolute(), deadline)
        except OSError as error:
            raise HarnessFailed(f"{script}: cannot be run ({error.strerror})") from None
        try:
            outcome = run.wait()
        finally:
            run.stop()
        shown.append(outcome.shows)
        seconds = round(time.monotonic() - started, 2)
        click.echo(_as_json(script, outcome, seconds) if as_json else _as_text(script, outcome))
    return shown


def _as_json(script: Path, outcome: Outcome, seconds: float) -> str:
    return json.dumps(
        {
            "schema": 1,
            "script": str(script),
            "outcome": outcome.shows.value,
            "reason": outcome.reason,
            "said": outcome.said,
            "seconds": seconds,
        }
    )


def _as_text(script: Path, outcome: Outcome) -> str:
    name = script.parent.name if script.name == "repro.py" and script.parent.name else str(script)
    line = f"{click.style(f'{outcome.shows.value:13}', fg=_COLOURS[outcome.shows])} {name}"
    if outcome.shows is not Shows.OTHER:
        return line
    tail = outcome.said.strip().rpartition("\n")[2]
    return f"{line}: {outcome.reason}{f': {tail}' if tail else ''}"
