"""How a command fails: one line on standard error, and a documented exit code."""

from __future__ import annotations

import click


class Unusable(click.ClickException):
    """Wrong usage or an unusable input: exit code 2."""

    exit_code = 2


class HarnessFailed(click.ClickException):
    """The harness itself failed: exit code 3."""

    exit_code = 3
