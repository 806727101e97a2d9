"""Which programs come next, whatever was finished before and in whatever order."""

from __future__ import annotations

import itertools
import random

from framefuzz.campaign.finished import Finished


def test_programs_come_in_batches_that_begin_at_multiples_of_a_batch() -> None:
    batches = list(Finished().batches_left(70))
    assert batches == [list(range(32)), list(range(32, 64)), list(range(64, 70))]


def test_what_is_finished_is_left_out_and_does_not_count() -> None:
    finished = Finished(23, {25, 26, 33})
    batches = list(finished.batches_left(12))
    assert batches == [[23, 24, *range(27, 32)], [32, 34, 35, 36, 37]]


def test_without_a_bound_batches_do_not_end() -> None:
    batches = itertools.islice(Finished(5).batches_left(None), 3)
    assert [batch[0] for batch in batches] == [5, 32, 64]


def test_numbers_finished_in_any_order_close_up() -> None:
    finished = Finished()
    numbers = list(range(100))
    random.Random(0).shuffle(numbers)
    for number in numbers:
        assert number not in finished
        finished.add(number)
        assert number in finished
    assert finished.first_left == 100
    assert finished.beyond == set()


def test_adding_twice_changes_nothing() -> None:
    finished = Finished(3)
    finished.add(5)
    finished.add(5)
    assert (finished.first_left, finished.beyond) == (3, {5})
