"""What a process that runs cases may use, and how it ends with its parent.

Linux only: prctl(2) numbers are from <linux/prctl.h>.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from dataclasses import dataclass

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_GIB = 1 << 30
_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds on one case, and on the child that runs it.

    ``deadline`` is in seconds of wall time a case, by the server's monotonic clock.  A case that
    runs alone, because its first child died, gets ``alone_factor`` times that: a machine that
    was merely busy then shows.  ``margin`` is in seconds: what a process may take for all that is
    not a case (to start, to end, to answer).  ``memory`` is in GiB of address space beyond what
    the server had when it forked.  ``file_size`` is in MiB a file.
    """

    deadline: float = 10.0
    alone_factor: float = 2.0
    margin: float = 10.0
    memory: float = 2.0
    file_size: int = 256

    @property
    def longest_silence(self) -> float:
        """Seconds after which a server that runs a batch and says nothing does not work."""
        return self.deadline * max(1.0, self.alone_factor) + 2 * self.margin

    def confine(self) -> None:
        """Apply the memory, file and core limits to the calling process.

        RLIMIT_AS, and not RLIMIT_DATA, since it also bounds what is mapped; an allocation over
        it fails in an orderly way (MemoryError, or torch's RuntimeError).
        """
        with open("/proc/self/statm", encoding="ascii") as statm:
            pages = int(statm.read().split()[0])
        now = pages * resource.getpagesize()
        _lower(resource.RLIMIT_AS, now + int(self.memory * _GIB))
        _lower(resource.RLIMIT_FSIZE, self.file_size * _MIB)
        # One byte, not zero: core(5) ignores a limit of 0 where kernel.core_pattern pipes to a
        # program, and fs/coredump.c takes 1 to mean no dump at all.
        _lower(resource.RLIMIT_CORE, 1)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill the calling process when its parent ends.

    ``parent`` is the process id that the parent is known to have; if it is gone already, the
    calling process ends here.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Make the calling process the parent of descendants whose own parent has ended."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children_of_self() -> list[int]:
    """Process ids of the calling (single-threaded) process's children, or [] where unknown."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
            return [int(pid) for pid in children.read().split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN
        return []


def _lower(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))


def _prctl(option: int, argument: int) -> None:
    # A failure leaves the process less confined, never wrong: nothing to do about it.
    ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)
