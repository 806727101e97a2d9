"""The command group; each command stands in its own file and is imported when it is asked for."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
import traceback
from typing import Any

import click

from framefuzz import __version__
from framefuzz.cli.errors import HarnessFailed, in_one_line

# Command: the module that holds a click command of the same name, and its line of help.  Named
# here so that `framefuzz --help` imports none of them.
COMMANDS = {
    "run": "Fuzz: generate programs, judge them, keep what diverges.",
    "check": "Run case files and print the divergences of each.",
    "replay": "Run the scripts of findings again, with the torch at hand.",
    "findings": "List what was found, or show one finding in full.",
    "subjects": "List what can be tested here, with versions.",
}


class _Lazy(click.Group):
    """A group whose commands are imported one at a time."""

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **extra)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise in_one_line(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise in_one_line(error) from None
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt:
            raise HarnessFailed("interrupted") from None
        except OSError as error:
            _drop_output()
            if error.errno == errno.EPIPE:  # who reads has had enough, and needs no message
                raise SystemExit(HarnessFailed.exit_code) from None
            raise HarnessFailed(f"{error.filename or 'output'}: {error.strerror}") from None
        except Exception:
            # Python's own exit code for it is 1, which here means that divergences were found.
            traceback.print_exc()
            raise SystemExit(HarnessFailed.exit_code) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"framefuzz.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _drop_output() -> None:
    """Let what cannot be written go, or Python fails over it once more when it ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="framefuzz")
def main() -> None:
    """A differential fuzzer for compilers that replace CPython's frame evaluation.

    \b
    Exit codes: 0 nothing new found, 1 divergences found,
    2 wrong usage or an unusable input, 3 the harness itself failed.
    """
