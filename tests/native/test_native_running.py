"""Replacement code in place of the original: everything that a program can see of it."""

# The bodies of the functions here are the programs under test, odd as they may look.
# ruff: noqa: F841, RET504

from __future__ import annotations

import gc
import sys
import threading
import traceback
import weakref
from typing import Any

import pytest
from native_support import native, replace

Source, Guard = native.Source, native.Guard

pytestmark = pytest.mark.usefixtures("hooked")


def test_arguments_of_every_kind() -> None:
    def original(a, /, b, *args, k=1, **kw):
        return "original"

    def compiled(a, /, b, *args, k=1, **kw):
        x = y = z = 0
        return a, b, args, k, kw, x, y, z

    entry = replace(original, compiled)
    assert original(1, 2, 3, 4, k=5, z=6) == (1, 2, (3, 4), 5, {"z": 6}, 0, 0, 0)
    assert original(1, b=2) == (1, 2, (), 1, {}, 0, 0, 0)
    with pytest.raises(TypeError):
        original()
    assert entry.hits == 2


def test_parameters_may_be_renamed() -> None:
    def original(a, b):
        return a

    def compiled(x, y):
        return y

    replace(original, compiled)
    assert original(1, 2) == 2


def test_free_variables_are_the_originals() -> None:
    def make(u, v):
        def original(a):
            nonlocal u
            u += a
            return v

        def compiled(a):
            nonlocal u
            u += 10 * a
            return [v, u]

        return original, compiled, lambda: u

    original, compiled, now = make(1, "v")
    other, _, now_other = make(2, "w")
    native.install(original.__code__, compiled.__code__)
    assert original(1) == ["v", 11] and now() == 11
    assert other(1) == ["w", 12] and now_other() == 12


def test_new_cells_in_the_replacement() -> None:
    def original(a, b):
        return a + b

    def compiled(a, b):
        c = a

        def inner():
            nonlocal b
            b += 1
            return a, b, c

        return inner

    replace(original, compiled)
    inner = original(1, 2)
    assert inner() == (1, 3, 1) and inner() == (1, 4, 1)


def test_cells_of_the_original_become_plain() -> None:
    def original(a, b, *args, k):
        return lambda: (a, args, k)

    def compiled(a, b, *args, k):
        del a
        return b, args, k

    replace(original, compiled)
    assert original(1, 2, 3, k=4) == (2, (3,), 4)


def test_other_cells_than_the_original() -> None:
    def original(a, b, c):
        return lambda: a

    def compiled(a, b, c):
        return (lambda: (c, b)), a

    replace(original, compiled)
    inner, a = original(1, 2, 3)
    assert inner() == (3, 2) and a == 1


def test_exceptions_and_tracebacks() -> None:
    def original(a):
        return a

    def compiled(a):
        try:
            return 1 // a
        finally:
            a = "unwound"

    replace(original, compiled)
    assert original(1) == 1
    with pytest.raises(ZeroDivisionError) as raised:
        original(0)
    frame = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert frame.name == "compiled" and "1 // a" in (frame.line or "")
    assert raised.tb.tb_next.tb_frame.f_locals == {"a": "unwound"}


def test_escaping_frame_keeps_its_locals() -> None:
    def original(a):
        return None

    def compiled(a):
        b = [a]
        return sys._getframe()

    replace(original, compiled)
    frames = [original(i) for i in range(50)]
    gc.collect()
    for i, frame in enumerate(frames):
        assert frame.f_locals == {"a": i, "b": [i]}
        assert frame.f_code is compiled.__code__


def test_argument_has_no_more_references_than_in_the_original() -> None:
    def original(a, b):
        return sys.getrefcount(a), (lambda: b), sys.getrefcount(b)

    def compiled(a, b):
        c = d = None
        return sys.getrefcount(a), (lambda: b), sys.getrefcount(b), c, d

    def counts():
        result = original([], [])
        return result[0], result[2]

    before = counts()
    replace(original, compiled)
    assert counts() == before


def test_recursion() -> None:
    scope: dict[str, Any] = {}
    exec(
        "def original(n):\n return -1\n"
        "def compiled(n):\n pad = n\n return 0 if n == 0 else original(n - 1) + pad - n + 1\n",
        scope,
    )
    entry = replace(scope["original"], scope["compiled"])
    assert scope["original"](150) == 150
    assert entry.hits == 151


def test_every_stack_depth() -> None:
    """A frame near the end of a chunk of the data stack must run the replacement, too."""

    def original(a):
        return "original"

    names = [f"x{i}" for i in range(200)]
    scope: dict[str, Any] = {}
    exec(
        "def compiled(a):\n "
        + "\n ".join(f"{name} = a" for name in names)
        + f"\n return [{', '.join(names)}]\n",
        scope,
    )
    native.install(original.__code__, scope["compiled"].__code__)

    def descend(depth, a):
        return original(a) if depth == 0 else descend(depth - 1, a)

    with native.Recorder() as recorder:
        for depth in range(300):
            assert descend(depth, depth) == [depth] * 200
    assert sum(verdict.outcome == "hit" for verdict in recorder.verdicts) == 300


def test_settrace_sees_the_replacement() -> None:
    def original(a):
        return a

    def compiled(a):
        b = a + 1
        return b

    replace(original, compiled)
    events: list[tuple[str, str, int]] = []
    first = compiled.__code__.co_firstlineno

    def tracer(frame, event, argument):
        if frame.f_code.co_name in ("original", "compiled"):
            events.append((frame.f_code.co_name, event, frame.f_lineno - first))
        return tracer

    sys.settrace(tracer)
    try:
        assert original(1) == 2
    finally:
        sys.settrace(None)
    assert events == [
        ("compiled", "call", 0),
        ("compiled", "line", 1),
        ("compiled", "line", 2),
        ("compiled", "return", 2),
    ]


def test_setprofile_sees_the_replacement() -> None:
    def original(a):
        return a

    def compiled(a):
        return a + 1

    replace(original, compiled)
    events: list[tuple[str, str]] = []

    def profiler(frame, event, argument):
        if frame.f_code.co_name in ("original", "compiled"):
            events.append((frame.f_code.co_name, event))

    sys.setprofile(profiler)
    try:
        assert original(1) == 2
    finally:
        sys.setprofile(None)
    assert events == [("compiled", "call"), ("compiled", "return")]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is new in 3.12")
def test_monitoring_sees_the_replacement() -> None:
    def original(a):
        return a

    def compiled(a):
        return a + 1

    replace(original, compiled)
    monitoring = sys.monitoring  # type: ignore[attr-defined]
    tool, started = monitoring.PROFILER_ID, []
    monitoring.use_tool_id(tool, "test")
    monitoring.register_callback(
        tool, monitoring.events.PY_START, lambda code, offset: started.append(code)
    )
    monitoring.set_events(tool, monitoring.events.PY_START)
    try:
        assert original(1) == 2
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    assert compiled.__code__ in started and original.__code__ not in started


def test_generators_and_coroutines_run_as_they_are() -> None:
    def generator(n):
        got = yield n
        yield got

    async def coroutine(n):
        return n

    async def async_generator(n):
        yield n

    with native.Recorder() as recorder:
        running = generator(1)
        assert next(running) == 1 and running.send(2) == 2
        thrown = generator(1)
        next(thrown)
        with pytest.raises(KeyError):
            thrown.throw(KeyError("k"))
        with pytest.raises(StopIteration) as stopped:
            coroutine(3).send(None)
        assert stopped.value.value == 3
        with pytest.raises(StopIteration):
            async_generator(4).__anext__().send(None)
    reasons = {v.reason for v in recorder.verdicts if v.code.co_name != "__enter__"}
    assert "a generator or coroutine" in reasons
    assert "resumed by an exception thrown into it" in reasons
    for function in (generator, coroutine, async_generator):
        with pytest.raises(ValueError, match="generator or coroutine"):
            native.install(function.__code__, function.__code__)


def test_module_and_class_bodies_are_skipped() -> None:
    with native.Recorder() as recorder:
        exec("class C:\n x = 1")
    reasons = [verdict.reason for verdict in recorder.verdicts]
    assert reasons.count("the body of a module or class") == 2


def test_threads_share_entries() -> None:
    def original(a):
        return None

    def compiled(a):
        total = 0
        for i in range(a):
            total += i
        return total

    entry = replace(original, compiled, [Guard.type(Source.local("a"), int)])
    wrong: list[Any] = []

    def work() -> None:
        for i in range(500):
            if original(i % 50) != sum(range(i % 50)) or original("s") is not None:
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and entry.hits == 2000


def test_exec_of_a_function_body() -> None:
    def original():
        return None

    seen: list[str] = []
    scope: dict[str, Any] = {}
    exec("def compiled():\n seen.append('compiled')", scope)
    native.install(original.__code__, scope["compiled"].__code__)
    exec(original.__code__, {"seen": seen})
    assert seen == ["compiled"]


class Weak:
    """Can be referred to weakly."""


def test_what_is_handed_over_is_the_functions_alone() -> None:
    alive = []

    def callee(a: Any, b: Any) -> Any:
        reference = weakref.ref(a)
        del a
        alive.append(reference() is not None)
        return b

    def outer(a: Any) -> Any:
        arguments = [a, "b"]
        del a
        return native.hand_over(callee, arguments), arguments

    assert outer(Weak()) == ("b", [])
    before = native.begin(lambda frame: None)
    assert native.hand_over(callee, [Weak(), "c"]) == "c"
    # In the replacement of a frame too.
    native.install(callee.__code__, callee.__code__.replace())
    assert native.hand_over(callee, [Weak(), "d"]) == "d"
    native.end(before)
    assert alive[1:] == [False, False]


def test_handing_over_in_what_was_handed_over() -> None:
    def count(n: int, trail: list[Any]) -> Any:
        trail.append(n)
        return native.hand_over(count, [n - 1, trail]) if n else trail

    before = native.begin(lambda frame: None)
    assert native.hand_over(count, [3, []]) == [3, 2, 1, 0]
    native.end(before)


def test_handing_over_what_does_not_fit() -> None:
    def raises(a: Any) -> None:
        raise KeyError(a)

    before = native.begin(lambda frame: None)
    arguments = [1, 2]
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        native.hand_over(raises, arguments)
    assert arguments == []
    with pytest.raises(KeyError, match="7"):
        native.hand_over(raises, [7])
    with pytest.raises(TypeError, match="only a Python function takes over"):
        native.hand_over(len, [7])
    with pytest.raises(TypeError):
        native.hand_over(raises, (7,))
    native.end(before)


def test_handing_over_does_not_leak() -> None:
    def callee(a: Any) -> Any:
        return a

    value = Weak()
    before = native.begin(lambda frame: None)
    references = sys.getrefcount(value)
    for _ in range(1000):
        native.hand_over(callee, [value])
    native.end(before)
    assert sys.getrefcount(value) == references


def test_own_calls_do_not_count_towards_the_recursion_limit() -> None:
    def count(n: int, own_calls: int) -> int:
        return native.hand_over(count, [n - 1, own_calls], own_calls) + 1 if n else 0

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        assert count(450, 1) == 450
        with pytest.raises(RecursionError, match=r"depth exceeded(?!: no C stack)"):
            count(450, 0)
        assert count(10, 0) == 10
    finally:
        sys.setrecursionlimit(limit)


def test_a_c_stack_that_is_used_up_ends_in_a_recursion_error() -> None:
    def forever(n: int) -> None:
        native.hand_over(forever, [n + 1], 1)

    ended = []

    def work() -> None:
        try:
            forever(0)
        except RecursionError as error:
            ended.append(error)

    size = threading.stack_size(4 << 20)
    thread = threading.Thread(target=work)
    thread.start()
    threading.stack_size(size)
    thread.join()
    assert [str(error) for error in ended] == [
        "maximum recursion depth exceeded: no C stack is left"
    ]
