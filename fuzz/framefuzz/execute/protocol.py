"""Messages between the processes of a campaign: one JSON object a line.

A child's pipe can be written to by the program under test, so a reader drops every line that is
not a message: not JSON, not an object, or without the token that the reader expects.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

# Bytes.  A judgement is a few kilobytes; a line longer than this is dropped unread.
LONGEST_LINE = 4 << 20

_READ_SIZE = 1 << 16


def encode(message: Mapping[str, Any]) -> bytes:
    """A message as one line of ASCII, newline before and after.

    The newline before ends whatever a program may have written to the same pipe.
    Raises TypeError or ValueError if the message is no JSON.
    """
    return b"\n" + json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def write_all(fd: int, data: bytes) -> None:
    """Write all of the data to a blocking file descriptor; raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Reader:
    """Assembles messages from a pipe, at most LONGEST_LINE bytes each.

    ``ended`` is set at end of file; ``consumed`` counts the bytes read so far.
    """

    def __init__(self, fd: int, token: str = "") -> None:
        self.fd = fd
        self.ended = False
        self.consumed = 0
        self._token = token
        self._parts: list[bytes] = []
        self._size = 0

    def read(self) -> list[dict[str, Any]]:
        """Read once; return the messages completed by it."""
        try:
            data = os.read(self.fd, _READ_SIZE)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return []
        self.consumed += len(data)
        *complete, rest = data.split(b"\n")
        messages = []
        for line in complete:
            if self._size + len(line) <= LONGEST_LINE:
                message = self._parse(b"".join([*self._parts, line]))
                if message is not None:
                    messages.append(message)
            self._parts.clear()
            self._size = 0
        self._size += len(rest)
        if self._size <= LONGEST_LINE:
            self._parts.append(rest)
        else:
            self._parts.clear()
        return messages

    def drain(self) -> list[dict[str, Any]]:
        """Read all that is there now; the file descriptor must be non-blocking."""
        messages = []
        while not self.ended:
            before = self.consumed
            messages += self.read()
            if self.consumed == before:
                break
        return messages

    def _parse(self, line: bytes) -> dict[str, Any] | None:
        if not line:
            return None
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(message, dict) or message.get("token", "") != self._token:
            return None
        return message
