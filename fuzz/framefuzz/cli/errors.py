"""How a command fails: one line on standard error, and a documented exit code."""

from __future__ import annotations

import click


class Unusable(click.ClickException):
    """Wrong usage or an unusable input: exit code 2."""

    exit_code = 2


def in_one_line(error: click.UsageError) -> Unusable:
    """Wrong usage as a line that names what is wrong and where the right usage stands."""
    command = error.ctx.command_path if error.ctx else "framefuzz"
    said = " ".join(error.format_message().split()).rstrip(".")
    return Unusable(f"{said}; see {command} --help")


class HarnessFailed(click.ClickException):
    """The harness itself failed: exit code 3."""

    exit_code = 3
