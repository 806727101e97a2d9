"""Messages survive whatever else is written to the same pipe."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from framefuzz.execute import protocol
from framefuzz.execute.protocol import Reader, encode


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    yield read, write
    os.close(read)
    os.close(write)


def test_messages_come_in_order_and_whole(pipe: tuple[int, int]) -> None:
    read, write = pipe
    reader = Reader(read)
    line = encode({"kind": "a", "text": "two\nlines \ud800"})
    os.write(write, line[:9])
    assert reader.drain() == []
    os.write(write, line[9:] + encode({"kind": "b"}))
    assert reader.drain() == [{"kind": "a", "text": "two\nlines \ud800"}, {"kind": "b"}]


@pytest.mark.parametrize(
    "garbage",
    [b"no json", b"\x00\xff\xfe", b"[1, 2]", b'{"kind": "result"}', b"[" * 100_000, b"\n\n"],
)
def test_what_is_no_message_of_ours_is_dropped(pipe: tuple[int, int], garbage: bytes) -> None:
    read, write = pipe
    reader = Reader(read, token="t")
    # Twice as much as a pipe holds would block: read in between.
    for start in range(0, len(garbage), 30_000):
        os.write(write, garbage[start : start + 30_000])
        assert reader.drain() == []
    os.write(write, encode({"token": "t", "kind": "real"}))
    assert reader.drain() == [{"token": "t", "kind": "real"}]


def test_a_line_too_long_is_dropped_and_the_next_read(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "LONGEST_LINE", 100)
    read, write = pipe
    reader = Reader(read)
    os.write(write, encode({"text": "x" * 200}) + encode({"kind": "next"}))
    assert reader.drain() == [{"kind": "next"}]


def test_the_end_of_the_pipe_is_seen() -> None:
    read, write = os.pipe()
    reader = Reader(read)
    os.write(write, encode({"kind": "last"}) + b'{"kind": "cut')
    os.close(write)
    assert reader.drain() == [{"kind": "last"}]
    assert reader.ended
    os.close(read)
