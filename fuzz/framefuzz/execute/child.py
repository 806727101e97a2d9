"""What a child of the fork server does: run its cases, say which, and write each result at once.

The child runs in a process group of its own, with the null device as standard input and output,
its standard error going to the server, and its result pipe on a high file descriptor, where a
program that closes or prints has the least chance to hit it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from framefuzz.execute.limits import Limits, die_with_parent
from framefuzz.execute.protocol import LONGEST_LINE, encode, write_all

Item = dict[str, Any]
# Told the name of each phase of an item before it starts: who is to blame depends on it.
Announce = Callable[[str], None]
Job = Callable[[Item, Announce], dict[str, Any]]

# Exit codes that mean something to the server; a program may well exit with them, and is then
# described a little wrongly.
LOST_PIPE = 121

_HIGH_FD = 600
_MORE_FDS = 16


class Channel:
    """The child's end of its result pipe."""

    def __init__(self, fd: int, token: str) -> None:
        self._fd = fd
        self._token = token
        self._pid = os.getpid()

    def send(self, kind: str, **content: Any) -> None:
        """Write one message; a process that cannot, or that is a copy of the child, ends."""
        # A program that forks returns in both processes: only one of them may go on.
        if os.getpid() != self._pid:
            os._exit(0)
        try:
            line = encode({"token": self._token, "kind": kind, **content})
            if len(line) > LONGEST_LINE:
                line = self._too_long(content, f"a result of {len(line)} bytes")
        except (TypeError, ValueError) as error:
            line = self._too_long(content, f"a result that is no JSON: {error}")
        try:
            write_all(self._fd, line)
        except OSError:
            os._exit(LOST_PIPE)

    def _too_long(self, content: dict[str, Any], text: str) -> bytes:
        failure = {"token": self._token, "kind": "error", "id": content.get("id"), "text": text}
        return encode(failure)


def run_child(
    job: Job,
    items: Sequence[Item],
    token: str,
    result_fd: int,
    stderr_fd: int,
    parent: int,
    limits: Limits,
) -> NoReturn:
    """Run the items in order, then end the process.

    Ends early, with the message ``spoiled``, after an item that changed what later ones rely on
    (Surroundings): they belong into a fresh child.
    """
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    die_with_parent(parent)
    channel = Channel(_rearrange(result_fd, stderr_fd), token)
    faulthandler.enable()
    limits.confine()
    surroundings = Surroundings()
    for item in items:
        _run_item(job, item, channel)
        changed = surroundings.changed()
        if changed:
            channel.send("spoiled", why=changed)
            os._exit(0)
    channel.send("bye")
    os._exit(0)


def _run_item(job: Job, item: Item, channel: Channel) -> None:
    number = item["id"]
    channel.send("start", id=number)
    try:
        result = job(item, lambda phase: channel.send("phase", id=number, phase=phase))
    except SystemExit as stop:
        os._exit(stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1)
    except MemoryError:
        channel.send("memory", id=number)
        os._exit(1)
    except BaseException:
        channel.send("error", id=number, text=traceback.format_exc(limit=-20)[-8000:])
        return
    channel.send("result", id=number, result=result)


class Surroundings:
    """What of the process a program can change for those after it, as it was at first.

    The working directory (and that it still exists), environment variables, signal handlers, the
    recursion limit, threads that are left running, and many more open files.
    """

    def __init__(self) -> None:
        self._first = self._look()
        self._open_files = self._count_open_files()

    def changed(self) -> str:
        """What is no longer as at first, in a few words, or an empty string."""
        for name, first, now in zip(_LOOKED_AT, self._first, self._look(), strict=True):
            if first != now:
                return name
        if self._count_open_files() > self._open_files + _MORE_FDS:
            return "open files"
        return ""

    def _look(self) -> tuple[object, ...]:
        return (
            _working_directory(),
            dict(os.environ),
            [signal.getsignal(number) for number in _SIGNALS],
            sys.getrecursionlimit(),
            threading.active_count(),
        )

    def _count_open_files(self) -> int:
        try:
            return len(os.listdir("/proc/self/fd"))
        except OSError:
            return sys.maxsize


_LOOKED_AT = ("working directory", "environment", "signal handlers", "recursion limit", "threads")
_SIGNALS = sorted(signal.valid_signals())


def _working_directory() -> object:
    try:
        here = os.stat(".")
    except OSError:
        return None
    return here.st_dev, here.st_ino, here.st_nlink > 0


def _rearrange(result_fd: int, stderr_fd: int) -> int:
    """Put the standard streams in their places; return where the result pipe now is."""
    try:
        high = fcntl.fcntl(result_fd, fcntl.F_DUPFD_CLOEXEC, _HIGH_FD)
    except OSError:  # more than RLIMIT_NOFILE allows
        high = fcntl.fcntl(result_fd, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(result_fd)
    os.dup2(stderr_fd, 2)
    os.close(stderr_fd)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return high
