"""The campaign's end of a fork server: starts it, sends it batches, hears what it says, ends it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from framefuzz.execute.limits import Limits
from framefuzz.execute.protocol import Reader, encode

# One thread in the process that forks, or its children hang; and one order of sets and dicts of
# strings, whatever the order in the process that asks.
ENVIRONMENT: Mapping[str, str] = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONSAFEPATH": "1",
}

# Importing torch on a busy machine, with margin; in seconds.
_LONGEST_START = 300.0
_LONGEST_STDERR = 4096


class Server:
    """A running fork server; ``prepare`` is the ``module:function`` that makes its job."""

    def __init__(self, prepare: str, settings: Any, limits: Limits) -> None:
        """Start it; it says ``ready`` some seconds later.  Raises OSError."""
        self._limits = limits
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "framefuzz.execute.forkserver",
                str(os.getpid()),
                prepare,
                json.dumps(settings),
                json.dumps(asdict(limits)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT},
            # A Ctrl-C at the terminal is for the campaign, which then ends its servers.
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self.requests_fd = self._process.stdin.fileno()
        self.events_fd = self._process.stdout.fileno()
        self.stderr_fd = self._process.stderr.fileno()
        for fd in (self.requests_fd, self.events_fd, self.stderr_fd):
            os.set_blocking(fd, False)
        self._events = Reader(self.events_fd)
        self._unsent = b""
        self._stderr_tail = b""
        self._child = 0
        self.ready = False
        self.start_cpu = 0.0
        self.about: dict[str, Any] = {}
        self.busy = False
        self.last_heard = time.monotonic()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the server has closed its events, as it does only by ending."""
        return self._events.ended

    def send(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Send a batch; ``flush`` must be called while ``unsent`` whenever it can be written to."""
        assert not self.busy
        self.busy = True
        self.last_heard = time.monotonic()
        self._unsent += encode({"items": list(items)})
        self.flush()

    @property
    def unsent(self) -> bool:
        """Whether part of a batch still waits for the server to read."""
        return bool(self._unsent)

    def flush(self) -> None:
        """Write as much of what is unsent as the server takes now."""
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self.requests_fd, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            # It has ended; its events say so too.
            self._unsent = b""

    def receive(self) -> list[dict[str, Any]]:
        """The events that have come; never waits."""
        events = self._events.read()
        if events:
            self.last_heard = time.monotonic()
        for event in events:
            if event["kind"] == "ready":
                self.ready = True
                self.start_cpu = event["cpu"]
                self.about = event["about"]
            elif event["kind"] == "child":
                self._child = event["pid"]
            elif event["kind"] == "done":
                self.busy = False
                self._child = 0
        return events

    def receive_stderr(self) -> bool:
        """Keep the end of what the server has written to its standard error; False at its end."""
        try:
            data = os.read(self.stderr_fd, 1 << 16)
        except BlockingIOError:
            return True
        self._stderr_tail = (self._stderr_tail + data)[-_LONGEST_STDERR:]
        return bool(data)

    @property
    def last_words(self) -> str:
        """The end of the server's standard error."""
        return self._stderr_tail.decode("utf-8", "replace").strip()

    def silent_until(self) -> float | None:
        """The monotonic time at which a server that has not spoken is to be given up, or None."""
        if not self.ready:
            return self.last_heard + _LONGEST_START
        return self.last_heard + self._limits.longest_silence if self.busy else None

    def end(self) -> str:
        """Kill the server and what runs under it; say how it had ended, if it had."""
        if self.ended:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self._limits.margin)
        how = _describe(self._process.poll())
        self._process.kill()
        self._process.wait()
        if self._child:
            # The child has died with the server; what it had started may have not.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
        return how


def _describe(returncode: int | None) -> str:
    if returncode is None:
        return "stopped answering"
    return f"signal {-returncode}" if returncode < 0 else f"exit code {returncode}"
