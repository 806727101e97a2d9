"""The choosers: what each answers, and that the conveniences ask for nothing but "one of n"."""

from __future__ import annotations

import pytest

from framefuzz.generate.chooser import BytesChooser, Chooser, DrawChooser, SeedChooser


def test_seed_chooser_gives_the_same_answers_everywhere() -> None:
    chooser = SeedChooser("a seed")
    assert [chooser.choose(100) for _ in range(8)] == [39, 3, 76, 40, 87, 90, 67, 1]


def test_seed_chooser_reaches_every_answer() -> None:
    chooser = SeedChooser("another")
    assert {chooser.choose(5) for _ in range(200)} == {0, 1, 2, 3, 4}


def test_bytes_chooser_reads_one_byte_and_two_above_256_options() -> None:
    chooser = BytesChooser(bytes([7, 1, 2, 5]))
    assert chooser.choose(256) == 7
    assert chooser.choose(1000) == 258
    assert chooser.choose(3) == 2


def test_bytes_chooser_answers_the_simplest_when_it_runs_out() -> None:
    chooser = BytesChooser(b"\x03")
    assert [chooser.choose(10) for _ in range(4)] == [3, 0, 0, 0]


def test_one_option_takes_no_byte() -> None:
    chooser = BytesChooser(b"\x03")
    assert (chooser.choose(1), chooser.choose(10)) == (0, 3)


def test_draw_chooser_asks_for_an_answer_below_n() -> None:
    asked: list[int] = []
    chooser = DrawChooser(lambda n: asked.append(n) or n - 1)
    assert chooser.choose(4) == 3
    assert asked == [4]


@pytest.mark.parametrize(("answer", "picked"), [(0, "a"), (1, "a"), (2, "b"), (4, "c")])
def test_weighted_gives_each_option_its_share(answer: int, picked: str) -> None:
    assert BytesChooser(bytes([answer])).weighted(["a", "b", "c"], [2, 1, 2]) == picked


def test_the_simplest_answer_of_chance_is_false() -> None:
    assert BytesChooser(b"").chance(2) is False
    assert BytesChooser(b"\x01").chance(2) is True


def test_a_chooser_is_one_method() -> None:
    class Last(Chooser):
        def choose(self, n: int) -> int:
            return n - 1

    assert Last().pick("abc") == "c"
    assert Last().weighted("ab", [1, 1]) == "b"
