"""Where the grammar's decisions come from: one question, "one of n", and three who answer it.

The grammar orders its options from the simplest, so answers of 0 throughout give the simplest
program; a caller that shrinks answers (Hypothesis, a byte-level minimizer) shrinks programs.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Chooser(ABC):
    """Answers "one of n"; the conveniences are built on that answer alone."""

    @abstractmethod
    def choose(self, n: int) -> int:
        """Return one of 0, 1, ... n - 1; ``n`` is at least 1."""

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, each as likely as the others."""
        return options[self.choose(len(options))]

    def weighted(self, options: Sequence[T], weights: Sequence[int]) -> T:
        """Return one of the options, each as likely as its weight, a positive int, says."""
        answer = self.choose(sum(weights))
        for option, weight in zip(options, weights):  # noqa: B905 - strict costs on a hot path
            answer -= weight
            if answer < 0:
                return option
        raise AssertionError("choose(n) answered n or more")

    def chance(self, one_in: int) -> bool:
        """Return True once in ``one_in`` times; False is the simpler answer."""
        return self.choose(one_in) == one_in - 1


class SeedChooser(Chooser):
    """Answers drawn from a text seed: the same on every machine and Python version.

    Both steps are promised by the documentation of ``random``: a str seed goes through SHA-512,
    so the hash seed plays no part, and ``random()`` keeps its sequence from version to version
    (``randrange`` does not promise to).
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def choose(self, n: int) -> int:
        return int(self._random() * n)


class BytesChooser(Chooser):
    """Answers read from bytes, as a coverage-guided fuzzer supplies them.

    One byte an answer, two where n is over 256.  After the last byte every answer is 0.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def choose(self, n: int) -> int:
        if n == 1:
            return 0
        width = 1 if n <= 256 else 2
        taken = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(taken, "big") % n


class DrawChooser(Chooser):
    """Answers drawn by Hypothesis; ``draw_below(n)`` draws one of 0 to n - 1."""

    def __init__(self, draw_below: Callable[[int], int]) -> None:
        self._draw_below = draw_below

    def choose(self, n: int) -> int:
        return self._draw_below(n)
