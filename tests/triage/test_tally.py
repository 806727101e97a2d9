import errno
import os

import pytest

from framefuzz.triage.tally import Sighting, Tally, read_tally


def test_counts_programs_not_sightings(tmp_path):
    path = tmp_path / "sightings.log"
    tally = Tally(path)
    for index in (3, 4, 3):
        tally.add(Sighting("a", "0", index))
    tally.add(Sighting("a", "1", 3))
    tally.add(Sighting("b", "", 3))
    assert (tally.count("a"), tally.count("b"), tally.count("c")) == (3, 1, 0)
    tally.close()
    assert read_tally(path) == {"a": 3, "b": 1}
    again = Tally(path)
    again.add(Sighting("a", "0", 4))
    assert again.count("a") == 3
    again.close()


def test_a_line_cut_short_is_dropped_and_not_continued(tmp_path):
    path = tmp_path / "sightings.log"
    path.write_bytes(b"a 0 1\na 0 2\na 0 3")
    assert read_tally(path) == {"a": 2}
    tally = Tally(path)
    tally.add(Sighting("b", "0", 1))
    tally.close()
    assert path.read_bytes() == b"a 0 1\na 0 2\nb 0 1\n"


def test_damaged_lines_are_left_out(tmp_path):
    path = tmp_path / "sightings.log"
    path.write_bytes(b"a 0 1\n\xff\xfe\nno number x\na 0\na 0 2\n")
    assert read_tally(path) == {"a": 2}


def test_a_full_disk_counts_nothing_and_leaves_whole_lines(tmp_path, monkeypatch):
    path = tmp_path / "sightings.log"
    tally = Tally(path)
    tally.add(Sighting("a", "0", 1))
    pwrite = os.pwrite

    def half_then_full(fd, data, offset):
        if len(data) < 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return pwrite(fd, data[:2], offset)

    monkeypatch.setattr(os, "pwrite", half_then_full)
    with pytest.raises(OSError, match="No space"):
        tally.add(Sighting("a", "0", 2))
    monkeypatch.undo()
    assert tally.count("a") == 1
    tally.add(Sighting("a", "0", 3))
    tally.close()
    assert path.read_text() == "a 0 1\na 0 3\n"


def test_no_file_counts_nothing(tmp_path):
    assert read_tally(tmp_path / "sightings.log") == {}
