"""``framefuzz subjects``: what can be tested here."""

from __future__ import annotations

import json
import warnings

import click

from framefuzz.cli.errors import Unusable
from framefuzz.subjects.protocol import SubjectUnavailable
from framefuzz.subjects.registry import load, names, require_torch


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a subject (docs/json.md).")
def subjects(as_json: bool) -> None:
    """List what can be tested here, with versions.

    \b
    Example: framefuzz subjects
    Exit codes: 0, or 2 if torch is missing or too old: then nothing can be tested.
    """
    try:
        require_torch()
    except SubjectUnavailable as error:
        raise Unusable(str(error)) from None
    # torch warns on import about what it can do without.
    warnings.simplefilter("ignore")
    for name in names():
        try:
            versions, problem = load(name).versions(), ""
        except SubjectUnavailable as error:
            versions, problem = {}, str(error)
        if as_json:
            row = {"schema": 1, "subject": name, "versions": versions, "problem": problem}
            click.echo(json.dumps(row))
        else:
            about = ", ".join(f"{key} {value}" for key, value in versions.items())
            click.echo(f"{name:10} {about or problem}")
