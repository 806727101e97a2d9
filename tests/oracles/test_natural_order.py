"""CPython's natural order: kept by all that CPython compiles, broken by hand-made code objects."""

from __future__ import annotations

import dis
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from framefuzz.oracles.natural_order import misbuilt_closures, natural_cells, unnatural

# Modules with many closures, generators, classes and comprehensions.
SWEPT = [
    "_pydatetime",
    "argparse",
    "ast",
    "asyncio/base_events",
    "asyncio/tasks",
    "bdb",
    "codecs",
    "collections/__init__",
    "concurrent/futures/_base",
    "configparser",
    "contextlib",
    "copy",
    "ctypes/__init__",
    "dataclasses",
    "decimal",
    "difflib",
    "doctest",
    "email/_header_value_parser",
    "enum",
    "fractions",
    "ftplib",
    "functools",
    "gettext",
    "heapq",
    "http/client",
    "http/server",
    "idlelib/pyshell",
    "importlib/_bootstrap",
    "inspect",
    "io",
    "ipaddress",
    "json/decoder",
    "logging/__init__",
    "multiprocessing/managers",
    "nntplib",
    "optparse",
    "os",
    "pathlib",
    "pdb",
    "pickle",
    "platform",
    "plistlib",
    "pprint",
    "pydoc",
    "random",
    "re/_compiler",
    "sched",
    "shutil",
    "socketserver",
    "statistics",
    "subprocess",
    "tarfile",
    "tempfile",
    "test/test_generators",
    "test/test_scope",
    "test/test_super",
    "threading",
    "tkinter/__init__",
    "tokenize",
    "traceback",
    "turtle",
    "types",
    "typing",
    "unittest/case",
    "unittest/mock",
    "urllib/request",
    "uuid",
    "weakref",
    "xml/dom/minidom",
    "xml/etree/ElementTree",
    "xmlrpc/client",
    "zipfile",
    "zipfile/__init__",
]

ABOVE_310 = pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 has no such opcodes")


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def compiled(source: str, name: str) -> types.CodeType:
    module = compile(source, "order.py", "exec")
    return next(code for code in nested(module) if code.co_name == name)


def test_no_exception_in_the_standard_library() -> None:
    library = Path(os.__file__).parent
    functions = closures = 0
    for name in SWEPT:
        path = library / f"{name}.py"
        if not path.exists():
            continue
        module = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        for code in nested(module):
            assert unnatural(code) == "", (name, code.co_name)
            assert misbuilt_closures(code) == [], (name, code.co_name)
            functions += 1
            closures += bool(code.co_freevars)
    assert functions > 4000
    assert closures > 150


SOURCE = """
def outer(zeta, alpha, m):
    beta, yank, item = 1, 2, 3
    def inner(q):
        zz = aa = 0
        def leaf(): return zeta, beta, q, zz, aa
        return zeta, alpha, beta, yank, leaf
    def generator():
        yield zeta, beta
    return inner, generator, item, [m for _ in ()]
"""


def test_what_cpython_compiles_is_natural() -> None:
    for name in ("outer", "inner", "leaf", "generator"):
        code = compiled(SOURCE, name)
        assert unnatural(code) == ""
        assert misbuilt_closures(code) == []


@ABOVE_310
def test_cells_that_are_arguments_come_first() -> None:
    outer = compiled(SOURCE, "outer")
    assert natural_cells(outer)[:2] == ["zeta", "alpha"]
    assert list(outer.co_cellvars) == natural_cells(outer)
    # Not simply sorted: that would be a false alarm.
    assert list(outer.co_cellvars) != sorted(outer.co_cellvars)


def test_unsorted_free_variables() -> None:
    inner = compiled(SOURCE, "inner")
    wrong = inner.replace(co_freevars=tuple(reversed(inner.co_freevars)))
    assert unnatural(wrong) == "co_freevars unsorted"


@pytest.mark.parametrize("name", ["outer", "inner"])
def test_cells_out_of_order(name: str) -> None:
    code = compiled(SOURCE, name)
    wrong = code.replace(co_cellvars=tuple(reversed(code.co_cellvars)))
    # On 3.11 and later the order of arguments that are cells is that of the arguments.
    if wrong.co_cellvars != code.co_cellvars:
        assert unnatural(wrong) in ("co_cellvars out of order", "MAKE_CELL unsorted")


def swapped(code: types.CodeType, first: int, second: int) -> types.CodeType:
    """A copy with two instructions of two bytes exchanged."""
    words = bytearray(code.co_code)
    one, two = words[2 * first : 2 * first + 2], words[2 * second : 2 * second + 2]
    words[2 * first : 2 * first + 2], words[2 * second : 2 * second + 2] = two, one
    return code.replace(co_code=bytes(words))


@ABOVE_310
def test_prologues_out_of_order() -> None:
    inner = compiled(SOURCE, "inner")
    names = [instruction.opname for instruction in dis.get_instructions(inner)]
    assert names[:4] == ["COPY_FREE_VARS", "MAKE_CELL", "MAKE_CELL", "MAKE_CELL"]
    assert unnatural(swapped(inner, 1, 2)) == "MAKE_CELL unsorted"
    assert unnatural(swapped(inner, 0, 1)) == "COPY_FREE_VARS out of place"
    wrong_count = bytearray(inner.co_code)
    wrong_count[1] += 1
    assert unnatural(inner.replace(co_code=bytes(wrong_count))) == "COPY_FREE_VARS out of place"
    missing = bytearray(inner.co_code)
    missing[0] = dis.opmap["NOP"]
    assert unnatural(inner.replace(co_code=bytes(missing))) == "COPY_FREE_VARS out of place"


@ABOVE_310
def test_closures_built_in_the_wrong_order() -> None:
    inner = compiled(SOURCE, "inner")
    loads = [
        index
        for index, instruction in enumerate(dis.get_instructions(inner, show_caches=True))
        if instruction.opname in ("LOAD_CLOSURE", "LOAD_FAST")
        and instruction.argval in inner.co_cellvars + inner.co_freevars
    ]
    wrong = swapped(inner, loads[0], loads[1])
    (found,) = misbuilt_closures(wrong)
    names, target = found
    assert target.co_name == "leaf"
    assert names != target.co_freevars and sorted(names) == list(target.co_freevars)
