"""``framefuzz findings``: what a campaign found."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from framefuzz.campaign.state import require_readable
from framefuzz.cli.errors import Unusable
from framefuzz.cli.options import named_path
from framefuzz.trace import Divergence
from framefuzz.triage.finding import Finding, UnusableFindings, by_state
from framefuzz.triage.store import load_findings

_COLOURS = {"confirmed": "red", "unconfirmed": "yellow", "pending": "blue"}


@click.command()
@click.argument("folder", metavar="[DIR]", default="framefuzz-out", type=named_path)
@click.argument("signature", required=False)
@click.option("--all", "every", is_flag=True, help="Also what is unconfirmed or still pending.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding (docs/json.md).")
def findings(folder: Path, signature: str | None, every: bool, as_json: bool) -> None:
    """List what a campaign found, or show one finding in full.

    DIR is the folder given to run --out. A finding is confirmed once its script has shown it in
    a fresh interpreter; SIGNATURE may be cut short where it stays unambiguous.

    \b
    Examples: framefuzz findings DIR
              framefuzz findings DIR behaviour-cells-value-int-54e13d
    Exit codes: 0, or 2 if DIR holds no findings that can be read.
    """
    try:
        require_readable(folder)
        found = load_findings(folder)
    except UnusableFindings as error:
        raise Unusable(str(error)) from None
    if signature is not None:
        chosen = [_only_one(folder, found, signature)]
    else:
        chosen = [one for one in found if every or one.record.status == "confirmed"]
    if as_json:
        for one in chosen:
            click.echo(json.dumps(as_object(one)))
    elif signature is not None:
        click.echo(_in_full(chosen[0]))
    else:
        if sys.stdout.isatty():
            Console().print(table(chosen))
        else:
            for one in chosen:
                click.echo("\t".join(_cells(one)))
        _show_summary(folder, found, every)


def as_object(finding: Finding) -> dict[str, object]:
    """A finding as a JSON object of schema 1: ``finding.json`` and where the script is."""
    return {**finding.record.as_object(), "script": str(finding.script)}


def _only_one(folder: Path, found: list[Finding], signature: str) -> Finding:
    exact = [one for one in found if one.signature == signature]
    matching = exact or [one for one in found if one.signature.startswith(signature)]
    names = sorted({one.signature for one in matching})
    if not names:
        raise Unusable(f"{folder}: holds no finding {signature}; see framefuzz findings --all")
    if len(names) > 1:
        raise Unusable(f"{folder}: {signature} is ambiguous: {', '.join(names)}")
    return matching[0]


def table(chosen: list[Finding]) -> Table:
    """The findings as a table for a terminal."""
    rows = Table(box=None, header_style="bold")
    for heading in ("status", "count", "oracle", "finding", "what differs", "versions"):
        rows.add_column(heading, justify="right" if heading == "count" else "left")
    for one in chosen:
        status, *rest = _cells(one)
        rows.add_row(Text(status, style=_COLOURS[status]), *map(Text, rest))
    return rows


def _cells(finding: Finding) -> tuple[str, ...]:
    record = finding.record
    return (
        record.status,
        str(record.count),
        record.lead.oracle,
        record.signature,
        what_differs(record.lead),
        f"torch {record.versions.get('torch', '?')}",
    )


def what_differs(one: Divergence) -> str:
    """A divergence in a line: place, both sides, what the other compilers did in brackets."""
    others = "; ".join(f"{other} {stands}" for other, stands in one.others.items())
    sides = f"{_short(one.eager)} | {_short(one.subject)}"
    return f"{_place(one)}: {one.kind}: {sides}{f' ({others})' if others else ''}"


def _place(one: Divergence) -> str:
    return f"call {one.call}, {one.path}" if one.call >= 0 else one.path


def _short(side: str) -> str:
    line = " ".join(side.split())
    return line if len(line) <= 40 else line[:37] + "..."


def _show_summary(folder: Path, found: list[Finding], every: bool) -> None:
    counts = by_state(found)
    said = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    hidden = not every and counts["unconfirmed"] + counts["pending"] > 0
    click.echo(
        f"{folder}: {said or 'nothing found'}{' (--all shows every one)' if hidden else ''}",
        err=True,
    )


def _in_full(finding: Finding) -> str:
    record = finding.record
    lines = [
        f"{record.signature}",
        f"  {record.title or record.case}",
        f"  status    {record.status}, met in {record.count} "
        f"program{'' if record.count == 1 else 's'}",
        f"  program   {record.index}" + ("" if record.seed is None else f" of seed {record.seed}"),
        f"  compiler  {record.subject}, backend {record.backend}",
        f"  versions  {', '.join(f'{name} {said}' for name, said in record.versions.items())}",
        f"  found     {record.found}",
    ]
    for one in record.divergences:
        lines += [
            f"  {one.oracle}: {_place(one)}: {one.kind}",
            f"    eager     {one.eager}",
            f"    compiled  {one.subject}",
            *(f"    {other:9} {stands}" for other, stands in one.others.items()),
        ]
        if one.note:
            lines.append(f"    note      {one.note}")
    for name, words in record.verdicts.items():
        lines.append(f"  verdicts  {name:9} {' '.join(words)}")
    for attempt in record.attempts:
        lines.append(f"  program {attempt.index} did not repeat at once: {attempt.rate} runs")
        lines += [f"    | {line}" for line in attempt.said.splitlines()[-12:]]
    lines.append(f"  script    {finding.script}")
    return "\n".join(lines)
