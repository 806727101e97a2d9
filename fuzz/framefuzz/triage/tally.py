"""In how many programs each signature was seen: a file that only grows.

A line a program and signature (``signature seed index``).  Lines are written without waiting for
the disk, so that a known bug that shows in every second program costs next to nothing: a killed
process loses none, a machine that loses power the last few.  A program counts once however often
it runs, as when a campaign that was killed continues.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sighting:
    """A program in which a signature was seen; ``seed`` is empty for one not made from a seed."""

    signature: str
    seed: str
    index: int


class Tally:
    """The sightings of a findings folder; see ``read_tally`` to look without writing."""

    def __init__(self, path: Path) -> None:
        """Open for writing, creating the file; raises OSError."""
        self._seen: dict[str, set[tuple[str, int]]] = {}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        data = b""
        while chunk := os.read(self._file, 1 << 20):
            data += chunk
        # A kill or a full disk may have cut the last line short; the next must not continue it.
        self._end = data.rfind(b"\n") + 1
        os.ftruncate(self._file, self._end)
        for sighting in _parse(data):
            self._add(sighting)

    def count(self, signature: str) -> int:
        """In how many programs the signature was seen."""
        return len(self._seen.get(signature, ()))

    def knows(self, signature: str) -> bool:
        """Whether the signature was seen at all."""
        return signature in self._seen

    def add(self, sighting: Sighting) -> None:
        """Count a sighting; raises OSError, counting nothing, if the disk is full."""
        if (sighting.seed, sighting.index) in self._seen.get(sighting.signature, ()):
            return
        line = f"{sighting.signature} {sighting.seed or '-'} {sighting.index}\n".encode()
        written = 0
        try:
            while written < len(line):
                written += os.pwrite(self._file, line[written:], self._end + written)
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(line)
        self._add(sighting)

    def sync(self) -> None:
        """Bring what was counted to the disk."""
        os.fsync(self._file)

    def close(self) -> None:
        """Bring what was counted to the disk and close the file."""
        self.sync()
        os.close(self._file)

    def _add(self, sighting: Sighting) -> None:
        self._seen.setdefault(sighting.signature, set()).add((sighting.seed, sighting.index))


def read_tally(path: Path) -> dict[str, int]:
    """The number of programs a signature, read while somebody else may be writing."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    seen: dict[str, set[tuple[str, int]]] = {}
    for sighting in _parse(data):
        seen.setdefault(sighting.signature, set()).add((sighting.seed, sighting.index))
    return {signature: len(programs) for signature, programs in seen.items()}


def _parse(data: bytes) -> list[Sighting]:
    """The sightings of all whole lines; one that is damaged is left out."""
    sightings = []
    for line in data[: data.rfind(b"\n") + 1].decode("utf-8", "replace").splitlines():
        match line.split():
            case [signature, seed, index] if index.isdecimal():
                sightings.append(Sighting(signature, "" if seed == "-" else seed, int(index)))
    return sightings
