"""Reference counts and memory stay flat."""

from __future__ import annotations

import gc
import os
import resource
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from native_support import native

Source, Guard, Expr = native.Source, native.Guard, native.Expr

pytestmark = pytest.mark.usefixtures("hooked")


def resident() -> int:
    """Bytes of resident memory now (/proc/self/statm, Linux)."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def assert_flat(before: int, allowed: int) -> None:
    """AddressSanitizer keeps freed memory back up to a bound, which may not be reached yet."""
    if "ASAN_OPTIONS" in os.environ:
        allowed += 8_000_000
    assert resident() - before < allowed


def call(function: Any, values: Any, times: int) -> None:
    for _ in range(times):
        for value in values:
            function(value)


def test_million_calls_leave_memory_and_counts_flat() -> None:
    u = ["free"]

    def original(a: Any) -> Any:
        return u

    def compiled(a: Any) -> Any:
        b = (a, u)
        return (lambda: b), u

    a = Source.local("a")
    thing = SimpleNamespace(x=[1, 2], shape=(3,))
    guards = [
        Guard.type(a, SimpleNamespace),
        Guard.length(a.attribute("x"), 2),
        Guard.equals(a.attribute("x").item(0), 1),
        Guard.dict_keys(a.instance_dict(), ("x", "shape")),
        Guard.identity(Source.free("u"), u),
        Guard.distinct([a.attribute("x"), Source.free("u"), a.type()]),
        Guard.relation(Expr.size(a, 0) + 1 == 4),
        Guard.absent(a.attribute("y")),
    ]
    native.install(original.__code__, compiled.__code__, guards)
    values = [thing, SimpleNamespace(x=[1]), 5]
    watched = [thing, u, thing.x, SimpleNamespace, values[1], original.__code__, compiled.__code__]
    call(original, values, 40_000)
    gc.collect()
    counts = [sys.getrefcount(each) for each in watched]
    before = resident()
    call(original, values, 340_000)
    gc.collect()
    assert [sys.getrefcount(each) for each in watched] == counts
    assert_flat(before, 2_000_000)


def test_installing_and_resetting_leaves_memory_flat() -> None:
    def cycle() -> None:
        scope: dict[str, Any] = {}
        exec("def original(a):\n return 1\ndef compiled(a):\n return 2", scope)
        function = scope["original"]
        a = Source.local("a")
        for i in range(5):
            native.install(
                function.__code__,
                scope["compiled"].__code__,
                [Guard.equals(a, i), Guard.identity(a.type(), int), Guard.absent(a.item("k"))],
            )
            function(i)
            function("s")
        with native.Recorder():
            function(3)

    for _ in range(300):
        cycle()
    gc.collect()
    before = resident()
    for _ in range(2_000):
        cycle()
    gc.collect()
    assert_flat(before, 3_000_000)


def test_failing_guards_leave_no_exception_and_no_reference() -> None:
    class Raises:
        @property
        def x(self) -> Any:
            raise ValueError("no")

    def original(a: Any) -> Any:
        return sys.exc_info()[1]

    native.install(
        original.__code__, original.__code__, [Guard.present(Source.local("a").attribute("x"))]
    )
    thing = Raises()
    original(thing)
    count = sys.getrefcount(thing)
    assert all(original(thing) is None for _ in range(1_000))
    assert sys.getrefcount(thing) == count
