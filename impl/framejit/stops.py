"""How tracing ends other than by reaching the frame's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from framejit.values import Value


class Break(Exception):
    """An instruction cannot be traced: CPython runs it, and tracing resumes after it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Skip(Exception):
    """A frame is left to CPython."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unmakeable(Exception):
    """A value cannot be made by code; ``value`` says where it was born."""

    def __init__(self, value: Value, reason: str) -> None:
        super().__init__(reason)
        self.value = value
        self.reason = reason


class MadeStatic(Exception):
    """A number was needed as what it is: trace again with these inputs by value."""

    def __init__(self, inputs: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(inputs)))
        self.inputs = inputs


class Raised(Exception):
    """The traced program raises an exception."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class Exhausted(Exception):
    """An iterator has no more; ``value`` is what a generator returned."""

    def __init__(self, value: Value | None = None) -> None:
        super().__init__()
        self.value = value
