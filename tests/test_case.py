"""The case format: what is read, what is refused, and with which line."""

from __future__ import annotations

import linecache
import os
import sys
from pathlib import Path

import pytest

from framefuzz.case import CASE_MODULE, Case, InvalidCase, instantiate, read_case

GOOD = '''"""Adds one.

More words."""

def make():
    return abs

def calls(fn):
    yield (1,)
'''
MAKE = "def make():\n    return abs\n"
CALLS = "def calls(fn):\n    yield (1,)\n"


def case(source: str) -> Case:
    return Case("c", source, "c.py")


def test_a_good_case() -> None:
    program = instantiate(case(GOOD + "STEADY = 1\nCONFIG = {'a': 1}\nKW = {'dynamic': True}\n"))
    assert program.fn is abs
    assert list(program.calls()) == [(1,)]
    assert (program.steady, program.config) == (1, {"a": 1})
    assert program.compile_kwargs == {"dynamic": True}
    assert program.observe is None
    assert program.case.title == "Adds one."
    assert "make" in program.own_names
    assert sys.modules[CASE_MODULE] is program.module


def test_each_execution_has_code_of_its_own() -> None:
    one, two = instantiate(case(GOOD)), instantiate(case(GOOD))
    assert one.module is not two.module
    assert one.module.make.__code__ is not two.module.make.__code__


def test_tracebacks_find_generated_source() -> None:
    instantiate(case(GOOD))
    linecache.checkcache("c.py")
    assert linecache.getline("c.py", 5) == "def make():\n"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("def make(:\n", 1, "is no Python"),
        ("a = '\0'", None, "is no Python"),
        (CALLS, None, "defines no function make()"),
        (MAKE, None, "defines no function calls()"),
        ("make = 3\n" + CALLS, None, "defines no function make()"),
        ("x = 1\nimport absent_one\n", 2, "fails when imported: ModuleNotFoundError"),
        ("raise SystemExit(3)\n", 1, "fails when imported: SystemExit: 3"),
        ("def make():\n    return 1 / 0\n" + CALLS, 2, "make() fails: ZeroDivisionError"),
        ("def make():\n    exit(2)\n" + CALLS, 2, "make() fails: SystemExit: 2"),
        ("def make():\n    return 3\n" + CALLS, 1, "must return a callable, not int"),
        (MAKE + CALLS + "STEADY = -1\n", None, "STEADY must be"),
        (MAKE + CALLS + "STEADY = True\n", None, "STEADY must be"),
        (MAKE + CALLS + "CONFIG = 3\n", None, "CONFIG must be a dict"),
        (MAKE + CALLS + "KW = []\n", None, "KW must be a dict"),
        (MAKE + CALLS + "observe = 3\n", None, "observe must be a function"),
    ],
)
def test_refused(source: str, line: int | None, message: str) -> None:
    with pytest.raises(InvalidCase) as raised:
        instantiate(case(source))
    assert message in raised.value.message
    assert raised.value.line == line
    assert str(raised.value).startswith("c.py:")


@pytest.mark.parametrize(
    ("body", "message"),
    [("    return [(1,)]\n", "must be a generator, not list"), ("    yield 3\n", "not int")],
)
def test_calls_that_break_the_protocol(body: str, message: str) -> None:
    program = instantiate(case(MAKE + "def calls(fn):\n" + body))
    with pytest.raises(InvalidCase, match=message) as raised:
        list(program.calls())
    assert raised.value.line == 3


@pytest.mark.parametrize(
    ("data", "message"), [(None, "cannot be read"), (b"\xff\xfe\x00", "is no UTF-8 text")]
)
def test_files_that_cannot_be_read(tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "case.py"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InvalidCase, match=message):
        read_case(path)


def test_a_pipe_that_nobody_writes_and_a_device_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    for path in (tmp_path / "pipe.py", Path("/dev/zero")):
        with pytest.raises(InvalidCase, match="is no file to read"):
            read_case(path)


def test_a_shells_pipe_can_be_read() -> None:
    reads, writes = os.pipe()
    os.write(writes, GOOD.encode())
    os.close(writes)
    try:
        assert read_case(f"/dev/fd/{reads}").source == GOOD
    finally:
        os.close(reads)


def test_the_mark_that_some_editors_write_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "marked.py"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert read_case(path).source == GOOD


def test_a_path_gives_name_and_filename(tmp_path: Path) -> None:
    path = tmp_path / "some_case.py"
    path.write_text(GOOD, encoding="utf-8")
    read = read_case(path)
    assert (read.name, read.filename) == ("some_case", str(path))
