"""``framefuzz check``: judge case files, each in a process of its own."""

from __future__ import annotations

import json
import select
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from framefuzz.campaign.job import PREPARE
from framefuzz.case import Case, InvalidCase, read_case
from framefuzz.cli.durations import seconds_of
from framefuzz.cli.errors import HarnessFailed, Unusable
from framefuzz.cli.options import backend_option, ignore_option, strict_option, subject_option
from framefuzz.execute.client import Server
from framefuzz.execute.limits import Limits
from framefuzz.judgement import Judgement, of_death, overall
from framefuzz.subjects.protocol import SubjectUnavailable
from framefuzz.subjects.registry import require_each, split
from framefuzz.triage.signature import signed

_COLOURS = {"same": "green", "diverges": "red", "vacuous": "yellow", "invalid": "magenta"}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@subject_option
@backend_option
@ignore_option
@strict_option
@click.option(
    "--deadline",
    callback=seconds_of,
    default="20s",
    show_default=True,
    help="Time that a case may take; twice that when it is run again.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a case (docs/json.md).")
def check(
    files: tuple[str, ...],
    subject: str,
    backend: str,
    ignore: tuple[str, ...],
    strict: tuple[str, ...],
    deadline: float,
    as_json: bool,
) -> None:
    """Run case files and print the divergences of each.

    Every case runs in a process of its own, so one that crashes or hangs is reported and the
    rest goes on.

    \b
    Example: framefuzz check corpus/guards/*.py
    Exit codes: 0 all the same, 1 some diverge, 2 some are no valid case, 3 the harness failed.
    """
    try:
        require_each(subject)
    except SubjectUnavailable as error:
        raise Unusable(str(error)) from None
    settings = {
        "subject": subject,
        "backend": backend,
        "ignore": list(ignore),
        "strict": list(strict),
        "bulk": False,
    }
    subjects = split(subject)
    statuses = []
    try:
        for path, results in _judge_all(files, subjects, settings, Limits(deadline=deadline)):
            statuses.append(overall(result["status"] for result in results))
            if as_json:
                lines = [json.dumps(result) for result in results]
            else:
                lines = [_as_text(path, result, len(subjects) > 1) for result in results]
            # An invalid case is so under every subject, in the same words.
            for line in dict.fromkeys(lines):
                click.echo(line)
    except KeyboardInterrupt:
        raise HarnessFailed(f"interrupted: {len(statuses)} of {len(files)} judged") from None
    if "invalid" in statuses:
        raise SystemExit(2)
    raise SystemExit(1 if "diverges" in statuses else 0)


def _judge_all(
    files: tuple[str, ...], subjects: tuple[str, ...], settings: dict[str, Any], limits: Limits
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each file and its judgements as JSON, one a subject, in the order given."""
    server: Server | None = None
    try:
        for number, path in enumerate(files):
            try:
                case = read_case(Path(path))
            except InvalidCase as error:
                name = Path(path).stem
                yield (
                    path,
                    [
                        Judgement(
                            name, subject, "invalid", message=str(error), line=error.line
                        ).to_json()
                        for subject in subjects
                    ],
                )
                continue
            # Started for the first case that can be read: bad input must not wait for torch.
            server = server or Server(PREPARE, settings, limits)
            yield path, _judge_one(server, number, case, subjects)
    finally:
        if server is not None:
            server.end()


def _judge_one(
    server: Server, number: int, case: Case, subjects: tuple[str, ...]
) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for event in _batch(server, {"id": number, "case": asdict(case)}):
        if event["kind"] == "result":
            results = event["result"]["judgements"]
        elif event["kind"] == "error":
            raise HarnessFailed(f"{case.filename}: {event['text'].strip().splitlines()[-1]}")
        elif event["kind"] == "failed":
            raise HarnessFailed(event["text"].strip().splitlines()[-1])
        elif event["kind"] == "death" and event["repeated"]:
            deaths = of_death(case.name, subjects, event["phase"], event["cause"], case.filename)
            results = signed(deaths, subjects)
    if not results:
        raise HarnessFailed(f"{case.filename}: its process said nothing")
    return results


def _batch(server: Server, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Send one item; yield the server's events until it is done with it."""
    sent = False
    while True:
        if server.ready and not sent:
            server.send([item])
            sent = True
        select.select([server.events_fd, server.stderr_fd], [], [], 1.0)
        server.receive_stderr()
        for event in server.receive():
            yield event
            if event["kind"] == "done":
                return
        if server.ended:
            raise HarnessFailed(f"the fork server ended: {server.last_words or server.end()}")


def _as_text(path: str, result: dict[str, Any], several: bool) -> str:
    subject = result["subject"]
    status = click.style(f"{result['status']:9}", fg=_COLOURS[result["status"]])
    if result["status"] == "invalid":
        return f"{status} {result['message']}"
    early = f"\n    note: {result['message']}" if result["message"] else ""
    made = f"{result['codes']} codes, {result['graphs']} graphs, {result['breaks']} breaks"
    under = f"  {subject}" if several else ""
    lines = [f"{status} {path}{under}  ({made}){early}"]
    if several and result["verdicts"]:
        lines.append(f"    verdicts  {' '.join(result['verdicts'])}")
    if result["status"] == "vacuous" and result["skips"]:
        lines.append(f"    nothing was compiled: {result['skips'][0].splitlines()[0]}")
    signature = ""
    for found in result["divergences"]:
        if found["signature"] != signature:
            signature = found["signature"]
            lines.append(f"  {click.style(signature, bold=True)}")
        call = f"call {found['call']}, " if found["call"] >= 0 else ""
        lines.append(f"    {found['oracle']}: {call}{found['path']}: {found['kind']}")
        lines.append(f"      eager   {found['eager']}")
        lines.append(f"      {subject:7} {found['subject']}")
        for other, stands in found.get("others", {}).items():
            lines.append(f"      {other:7} {stands}")
        if found["note"]:
            lines.append(f"      note    {found['note']}")
    return "\n".join(lines)
