"""Times on the command line: 60, 60s, 10m, 6h."""

from __future__ import annotations

import re

import click

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    """A click callback: a time above zero, in seconds unless it says m or h."""
    if value is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", value.strip())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds:
        raise click.BadParameter(f"{value!r} is no time: write 60, 60s, 10m or 6h")
    return seconds
