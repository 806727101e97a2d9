"""Which programs of a campaign are finished, and which come next.

Workers finish out of order, and a run can be cut off anywhere, so what is finished is a run of
programs from the first on, and single ones beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from framefuzz.campaign.settings import BATCH


class Finished:
    """A set of program numbers; ``first_left`` is the lowest that is not in it."""

    def __init__(self, first_left: int = 0, beyond: Iterable[int] = ()) -> None:
        self.first_left = first_left
        self.beyond = set(beyond)

    def add(self, index: int) -> None:
        """Note that a program is finished."""
        self.beyond.add(index)
        while self.first_left in self.beyond:
            self.beyond.remove(self.first_left)
            self.first_left += 1

    def __contains__(self, index: int) -> bool:
        return index < self.first_left or index in self.beyond

    def batches_left(self, programs: int | None) -> Iterator[list[int]]:
        """The numbers of the next programs, by batch; at most so many programs in all, or endless.

        Batches begin at multiples of BATCH.  What is finished meanwhile has been handed out
        before, so it is not handed out again.
        """
        start = self.first_left
        finished = set(self.beyond)
        left = programs
        while left is None or left > 0:
            end = (start // BATCH + 1) * BATCH
            batch = [index for index in range(start, end) if index not in finished][:left]
            start = end
            if batch:
                left = None if left is None else left - len(batch)
                yield batch
