import os

import pytest

from framefuzz.triage import files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_whole(tmp_path):
    files.write_folder(tmp_path / "one", {"a": "1", "b": "zwei ü"})
    assert names(tmp_path) == ["one"]
    assert (tmp_path / "one" / "b").read_text(encoding="utf-8") == "zwei ü"


def test_a_failure_leaves_nothing(tmp_path):
    with pytest.raises(OSError):
        files.write_folder(tmp_path / "one", {"a": "1", "no/such/folder": "2"})
    with pytest.raises(OSError):
        files.write_file(tmp_path / "gone" / "a", "1")
    assert names(tmp_path) == []


def test_a_failed_replacement_leaves_the_old_file(tmp_path, monkeypatch):
    files.write_file(tmp_path / "a", "old")

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError):
        files.write_file(tmp_path / "a", "new")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_moving_replaces(tmp_path):
    files.write_folder(tmp_path / "old", {"a": "old"})
    files.write_folder(tmp_path / "new", {"a": "new"})
    files.move_folder(tmp_path / "new", tmp_path / "old")
    assert names(tmp_path) == ["old"]
    assert (tmp_path / "old" / "a").read_text() == "new"


def test_tidy_brings_back_what_was_being_replaced(tmp_path):
    files.write_folder(tmp_path / ".replaced-one", {"a": "old"})
    files.write_folder(tmp_path / ".replaced-two", {"a": "old"})
    files.write_folder(tmp_path / "two", {"a": "new"})
    (tmp_path / ".unfinished-three").mkdir()
    (tmp_path / ".unfinished-three" / "a").write_text("half")
    (tmp_path / ".unfinished-b").write_text("half")
    files.tidy(tmp_path)
    assert names(tmp_path) == ["one", "two"]
    assert (tmp_path / "two" / "a").read_text() == "new"


def test_removing_what_is_not_there_is_no_error(tmp_path):
    files.remove_folder(tmp_path / "none")
    files.write_folder(tmp_path / "one", {"a": "1"})
    files.remove_folder(tmp_path / "one")
    assert names(tmp_path) == []
