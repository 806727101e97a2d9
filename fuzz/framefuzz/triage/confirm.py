"""Running repro scripts in fresh, unpatched interpreters, without waiting for them.

A script exits 1 and ends its output with a line that opens with SHOWN while the bug is there,
and exits 0 once it is gone.  The line is asked for because an exit status of 1 is also what
CPython gives for any uncaught exception.
"""

from __future__ import annotations

import contextlib
import enum
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from framefuzz.execute.limits import Limits, die_with_parent

SHOWN = "DIFFERENT"
RUNS = 5

# Seconds of wall time for one run, on a machine that does other things; importing torch is most
# of it.  A script that is to show a hang has its own, shorter clock.
DEADLINE = 180.0
# Torch itself maps about 3 GiB before it does anything.
LIMITS = Limits(memory=12.0)
# Bytes of a run's output that are kept, from its end.
_SAID = 4000


class Shows(enum.Enum):
    """What a run of a script says of its bug."""

    THERE = "still there"
    GONE = "gone"
    OTHER = "other outcome"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run of a script ended: what it shows, why, and the end of what it printed."""

    shows: Shows
    reason: str
    said: str


class ScriptRun:
    """One run of a script, begun; ``poll`` it until it has an outcome."""

    def __init__(self, script: Path, deadline: float = DEADLINE) -> None:
        """Start the script; raises OSError if no process can be made."""
        # Neither a pipe, which would have to be read, nor a file on a disk that may be full.
        self._output = os.memfd_create("output", os.MFD_CLOEXEC)
        self._deadline = deadline
        self._started = time.monotonic()
        self._outcome: Outcome | None = None
        parent = os.getpid()

        def confine() -> None:
            die_with_parent(parent)
            LIMITS.confine()

        try:
            self._process = subprocess.Popen(
                [sys.executable, script.name],
                cwd=script.parent,
                env={
                    **os.environ,
                    "OMP_NUM_THREADS": "1",
                    "OPENBLAS_NUM_THREADS": "1",
                    "PYTHONHASHSEED": "0",
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=confine,
            )
        except BaseException:
            os.close(self._output)
            raise

    def poll(self) -> Outcome | None:
        """The outcome, or None while the script runs within its deadline."""
        if self._outcome is None:
            if self._has_ended():
                # What the script started and left behind goes with it.
                self._kill()
                self._outcome = self._judge(self._process.returncode)
            elif time.monotonic() - self._started > self._deadline:
                self._kill()
                self._outcome = self._end(
                    Shows.OTHER, f"did not end within {self._deadline:g} seconds"
                )
        return self._outcome

    def wait(self) -> Outcome:
        """The outcome, waited for."""
        while (outcome := self.poll()) is None:
            time.sleep(0.02)
        return outcome

    def stop(self) -> None:
        """Kill the script and all that it started; the outcome is then an other one."""
        if self._outcome is None:
            self._kill()
            self._outcome = self._end(Shows.OTHER, "was stopped")

    def _has_ended(self) -> bool:
        # Left unreaped, so that its id still is its group's when the group is killed.
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    def _judge(self, status: int) -> Outcome:
        outcome = self._end(Shows.OTHER, f"exited with {status}")
        last = outcome.said.rstrip().rpartition("\n")[2]
        if status == 0:
            return Outcome(Shows.GONE, "", outcome.said)
        if status == 1 and last.startswith(SHOWN):
            return Outcome(Shows.THERE, "", outcome.said)
        if status < 0:
            return Outcome(Shows.OTHER, f"was killed by {_signal_name(-status)}", outcome.said)
        return outcome

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _end(self, shows: Shows, reason: str) -> Outcome:
        size = os.fstat(self._output).st_size
        tail = os.pread(self._output, _SAID, max(0, size - _SAID))
        os.close(self._output)
        return Outcome(shows, reason, tail.decode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of ``runs`` fresh interpreters showed the bug, and what the last other one said."""

    repeated: int
    runs: int
    said: str = ""


class Confirmation:
    """Runs a script once if that shows its bug, else RUNS times, to learn how often it does."""

    def __init__(self, script: Path, start: Callable[[Path], ScriptRun] = ScriptRun) -> None:
        """Start the first run; raises OSError if no process can be made."""
        self._script = script
        self._start = start
        self._run = start(script)
        self._outcomes: list[Outcome] = []
        self._rate: Rate | None = None

    def poll(self) -> Rate | None:
        """The rate, or None while there is more to run; raises OSError as the first start does."""
        outcome = self._run.poll()
        if outcome is None or self._rate is not None:
            return self._rate
        self._outcomes.append(outcome)
        first_showed = self._outcomes[0].shows is Shows.THERE
        if not first_showed and len(self._outcomes) < RUNS:
            self._run = self._start(self._script)
            return None
        others = [one for one in self._outcomes if one.shows is not Shows.THERE]
        said = f"{others[-1].reason}\n{others[-1].said}".strip() if others else ""
        self._rate = Rate(len(self._outcomes) - len(others), len(self._outcomes), said)
        return self._rate

    def stop(self) -> None:
        """Kill what runs; nothing is concluded."""
        self._run.stop()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
