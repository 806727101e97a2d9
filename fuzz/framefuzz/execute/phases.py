"""Which part of a case is running: announced, so that a death can be blamed on the right part.

A case that dies while eager CPython runs it is no case; one that dies under the subject is a
finding.  Whoever runs a case calls ``announce``; a child of the fork server listens.
"""

from __future__ import annotations

from collections.abc import Callable

EAGER = "eager"
SUBJECT = "subject"
COMPARE = "compare"

_listener: Callable[[str], None] | None = None


def announce(phase: str) -> None:
    """Say that a phase of the current case begins; does nothing where nobody listens."""
    if _listener is not None:
        _listener(phase)


def listen(listener: Callable[[str], None] | None) -> None:
    """Have every later announcement passed to ``listener``, or to nobody."""
    global _listener
    _listener = listener
