"""The fork server: warms up once, then runs each batch of items in a freshly forked child.

Started by framefuzz.execute.client as ``python -m framefuzz.execute.forkserver``, with requests
on its standard input and events on its standard output (framefuzz.execute.protocol).

pebble's process pools are as fast (26 ms CPU a program either way, in batches of 20), and are not
used because a campaign needs three things that they do not give: the process that forks has one
thread only (a parent that had used two OpenMP threads gave children that hung, and a pool manages
its workers from threads); the deadline holds for a case inside a batch, not for the batch; and the
child says which case it starts, in which phase, so that only that one is blamed for a death and
the rest goes on.

Requests: ``{"items": [...]}``, each item an object with an integer ``id``.  Events:

- ``ready``: warmed up; ``pid``, ``threads`` (1, or forking is not safe), ``seconds`` and ``cpu``
  seconds that it took, ``about`` what the job says of itself
- ``child``: ``pid`` of a new child, which leads a process group of the same number
- ``start``: ``id``; the item that runs now
- ``phase``: ``id``, ``phase``; the phase that it is in, told of an item in a child of its own
- ``result``: ``id``, ``result``: what the job returned
- ``error``: ``id``, ``text``: the job itself failed with an exception, which it must not
- ``death``: ``id``, ``phase``, ``cause``, ``said`` (the end of its standard error), ``repeated``:
  whether it died again when run alone.  If it did not, its result came just before
- ``done``: the batch is finished
- ``failed``: ``text``: the server cannot go on, and ends
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import secrets
import select
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from framefuzz.execute.child import LOST_PIPE, Item, Job, run_child
from framefuzz.execute.limits import Limits, adopt_orphans, children_of_self, die_with_parent
from framefuzz.execute.protocol import Reader, encode, write_all

# Children in a row that end before they announce anything.
_BARREN_CHILDREN = 3
_LONGEST_STDERR = 4096


class CannotGoOn(Exception):
    """The server cannot run children any more; says why."""


@dataclass
class Ending:
    """How a child ended: after how many finished items, during which one, and why.

    ``blamed`` is None where the child ended in order, or between two items.
    """

    finished: int = 0
    announced: bool = False
    blamed: int | None = None
    phase: str = ""
    cause: str = ""
    said: str = ""


class ForkServer:
    """Runs batches with a job that has been prepared."""

    def __init__(self, job: Job, requests: int, events: int, limits: Limits) -> None:
        self._job = job
        self._requests = Reader(requests)
        self._requests_fd = requests
        self._events_fd = events
        self.limits = limits
        self._own_children = set(children_of_self())
        self._wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # A child's end must wake the server even while a grandchild holds the child's pipe open.
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self._own_fds = (requests, events, self._wake_read, wake_write)

    def serve(self) -> None:
        """Run one batch after the other until the requests end."""
        while True:
            messages = self._requests.read()
            if self._requests.ended:
                return
            for message in messages:
                self._run_batch(message["items"])
                self._emit("done")

    def _run_batch(self, items: Sequence[Item]) -> None:
        todo = deque(items)
        barren = 0
        while todo:
            ending = self._run_child(list(todo), self.limits.deadline)
            barren = 0 if ending.announced else barren + 1
            if barren == _BARREN_CHILDREN:
                raise CannotGoOn(f"children end before they start anything: {ending.cause}")
            for _ in range(ending.finished):
                todo.popleft()
            if ending.blamed is not None:
                self._confirm_death(todo.popleft(), ending)

    def _confirm_death(self, item: Item, first: Ending) -> None:
        alone = self._run_child([item], self.limits.deadline * self.limits.alone_factor)
        repeated = alone.blamed is not None
        death = alone if repeated else first
        self._emit(
            "death",
            id=item["id"],
            phase=death.phase,
            cause=death.cause,
            said=death.said,
            repeated=repeated,
        )

    def _run_child(self, items: list[Item], deadline: float) -> Ending:
        token = secrets.token_hex(8)
        result_read, result_write = os.pipe2(os.O_CLOEXEC)
        stderr_read, stderr_write = os.pipe2(os.O_CLOEXEC)
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            raise CannotGoOn(f"cannot fork: {error.strerror}") from None
        if pid == 0:
            self._become_child()
            os.close(result_read)
            os.close(stderr_read)
            run_child(self._job, items, token, result_write, stderr_write, server, self.limits)
        os.close(result_write)
        os.close(stderr_write)
        os.set_blocking(result_read, False)
        os.set_blocking(stderr_read, False)
        try:
            self._emit("child", pid=pid)
            alone = len(items) == 1
            watch = _Watch(self, pid, Reader(result_read, token), stderr_read, deadline, alone)
            return watch.until_it_ends()
        finally:
            os.close(result_read)
            os.close(stderr_read)

    def _become_child(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for fd in self._own_fds:
            os.close(fd)

    def _emit(self, kind: str, **content: Any) -> None:
        write_all(self._events_fd, encode({"kind": kind, **content}))

    def _kill_strays(self) -> None:
        """End what a child's programs have left behind: adopted since their parent ended."""
        while strays := set(children_of_self()) - self._own_children:
            for pid in strays:
                _kill(pid)
                os.waitpid(pid, 0)


class _Watch:
    """The server's view of one running child."""

    def __init__(
        self,
        server: ForkServer,
        pid: int,
        results: Reader,
        stderr: int,
        deadline: float,
        alone: bool,
    ) -> None:
        self._server = server
        self._pid = pid
        self._results = results
        self._stderr = stderr
        self._deadline = deadline
        self._alone = alone
        self._margin = server.limits.margin
        self._ends_by = time.monotonic() + self._margin
        self._ending = Ending()
        self._in_order = False
        self._overdue = False
        self._stderr_tail = b""

    def until_it_ends(self) -> Ending:
        """Relay the child's messages until it has ended or was killed; say how it ended."""
        poll = select.poll()
        for fd in (self._results.fd, self._stderr, self._server._wake_read):
            poll.register(fd, select.POLLIN)
        poll.register(self._server._requests_fd, select.POLLHUP)
        while not self._has_ended():
            left = self._ends_by - time.monotonic()
            if left <= 0:
                self._overdue = True
                _kill(self._pid)
                # A process killed by SIGKILL ends, unless it hangs inside the kernel.
                self._ends_by = time.monotonic() + self._margin
                continue
            for fd, _ in poll.poll(left * 1000 + 1):
                if fd == self._results.fd:
                    self._take(self._results.read())
                    if self._results.ended:
                        poll.unregister(fd)
                elif fd == self._stderr:
                    if not self._take_stderr():
                        poll.unregister(fd)
                elif fd == self._server._wake_read:
                    os.read(fd, 512)
                elif self._server._requests_fd == fd:
                    _kill(self._pid)
                    os._exit(0)
        self._take(self._results.drain())
        self._take_stderr()
        _kill(self._pid)
        _, status = os.waitpid(self._pid, 0)
        self._server._kill_strays()
        self._conclude(status)
        return self._ending

    def _has_ended(self) -> bool:
        # Left a zombie for now: while it is one, its process group's number is not given anew.
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._pid, options) is not None

    def _take(self, messages: list[dict[str, Any]]) -> None:
        ending = self._ending
        for message in messages:
            kind = message["kind"]
            if kind in ("bye", "spoiled"):
                self._in_order = True
                self._ends_by = time.monotonic() + self._margin
                continue
            if kind == "start":
                ending.announced = True
                ending.blamed, ending.phase, ending.cause = message["id"], "", ""
                self._stderr_tail = b""
                self._ends_by = time.monotonic() + self._deadline
            elif kind == "phase":
                ending.phase = message["phase"]
                # It is the server that blames; others ask only where it can die with the item,
                # and each message wakes them.
                if not self._alone:
                    continue
            elif kind == "memory":
                ending.cause = "memory"
                continue
            else:
                ending.finished += 1
                ending.blamed = None
                self._ends_by = time.monotonic() + self._margin
            del message["token"]
            write_all(self._server._events_fd, encode(message))

    def _take_stderr(self) -> bool:
        try:
            data = os.read(self._stderr, 1 << 16)
        except BlockingIOError:
            return True
        self._stderr_tail = (self._stderr_tail + data)[-_LONGEST_STDERR:]
        return bool(data)

    def _conclude(self, status: int) -> None:
        ending = self._ending
        if not ending.cause:
            ending.cause = self._describe(status)
        ending.said = self._stderr_tail.decode("utf-8", "replace")
        if self._in_order:
            ending.blamed = None

    def _describe(self, status: int) -> str:
        if self._overdue:
            return f"deadline {self._server.limits.deadline:g} s"
        if os.WIFSIGNALED(status):
            return f"signal {os.WTERMSIG(status)}"
        code = os.waitstatus_to_exitcode(status)
        return "lost its result pipe" if code == LOST_PIPE else f"exit code {code}"


def _kill(pid: int) -> None:
    """Kill a child and its process group, stopped or not."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _prepare(name: str, settings: Any) -> tuple[Job, dict[str, Any]]:
    module, _, function = name.partition(":")
    prepared: tuple[Job, dict[str, Any]] = getattr(importlib.import_module(module), function)(
        settings
    )
    return prepared


def main(arguments: Sequence[str]) -> NoReturn:
    """Serve: arguments are the parent's process id, ``module:function``, settings and limits.

    The function is called once with the settings (JSON) and returns the job and what to say
    about it in ``ready``.
    """
    parent, name, settings, limits = arguments
    die_with_parent(int(parent))
    adopt_orphans()
    # The streams that the protocol uses get new numbers: whatever prints must not reach them.
    requests, events = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    began = time.monotonic()
    try:
        job, about = _prepare(name, json.loads(settings))
        # What lives now lives in every child: the collector must not touch, and so copy, it.
        gc.collect()
        gc.freeze()
        server = ForkServer(job, requests, events, Limits(**json.loads(limits)))
        threads = len(os.listdir("/proc/self/task"))
        ready = {"pid": os.getpid(), "threads": threads, "about": about}
        spent = {"seconds": time.monotonic() - began, "cpu": time.process_time()}
        server._emit("ready", **ready, **spent)
        server.serve()
    except BrokenPipeError:
        os._exit(0)
    except CannotGoOn as reason:
        write_all(events, encode({"kind": "failed", "text": str(reason)}))
    except Exception:
        write_all(events, encode({"kind": "failed", "text": traceback.format_exc()[-4000:]}))
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
