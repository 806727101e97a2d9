"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from framefuzz.subjects.registry import BACKENDS
from framefuzz.tolerances import TOLERANCES

# The names of the oracles; asked for here because the oracles themselves import torch.
ORACLE_NAMES = ("survival", "guards", "behaviour", "order", "inconsistent", "recompile")


class _Named(click.Path):
    """A path that names something: an unset variable of a shell's is not the current folder."""

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Any:
        if value == "":
            self.fail("'' names no folder", param, context)
        return super().convert(value, param, context)


named_path = _Named(path_type=Path)

subject_option = click.option(
    "--subject",
    default="dynamo",
    show_default=True,
    metavar="NAME[,NAME...]",
    help="What to test (framefuzz subjects); several are compared with each other as well.",
)
backend_option = click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default="eager",
    show_default=True,
    help="What the subject hands its graphs to.",
)
ignore_option = click.option(
    "--ignore",
    type=click.Choice(ORACLE_NAMES),
    multiple=True,
    help="Leave out what this oracle reports; may be given more than once.",
)


def _expand(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> Any:
    return tuple(TOLERANCES) if "all" in value else value


strict_option = click.option(
    "--strict",
    type=click.Choice([*TOLERANCES, "all"]),
    multiple=True,
    callback=_expand,
    help="Switch a tolerance off (docs/oracles.md); may be given more than once.",
)
