"""Guards that run Python code: what that drops, removes, installs and calls meanwhile."""

from __future__ import annotations

import gc
import signal
from typing import Any

import pytest
from native_support import at_entry, native, replace

Source, Guard = native.Source, native.Guard

pytestmark = pytest.mark.usefixtures("hooked")


# -- what a guard looks at, dropped meanwhile -----------------------------------------------------


def test_value_survives_a_predicate_that_drops_it() -> None:
    box: list[Any] = []

    def function() -> Any:
        return box

    held = Source.free("box").item(0)

    def drop(value: Any) -> bool:
        box.clear()
        gc.collect()
        return True

    guards = [
        Guard.predicate(held, drop),
        Guard.type(held, list),
        Guard.length(held, 1000),
    ]
    for _ in range(20):
        box[:] = [list(range(1000))]
        program = native.GuardProgram(function.__code__, guards)
        assert at_entry(function, program.check)[0]


def test_predicate_that_empties_a_cell() -> None:
    def outer(value: Any) -> Any:
        def function() -> Any:
            return value

        def drop(_: Any) -> bool:
            nonlocal value
            del value
            gc.collect()
            return True

        guards = [Guard.predicate(Source.free("value"), drop), Guard.absent(Source.free("value"))]
        return function, native.GuardProgram(function.__code__, guards), drop

    function, program, _ = outer([1] * 1000)
    looked: list[bool] = []

    def look(frame: Any) -> None:
        looked.append(program.check(frame))

    with pytest.raises(NameError):
        at_entry(function, look)
    assert looked == [True]


def test_repr_that_empties_cells() -> None:
    """A refusal is put into words while it runs: what it speaks of must live until that is done."""

    class Last:
        def __repr__(self) -> str:
            return "last"

    def outer(raising: bool) -> Any:
        class Dropping:
            def __repr__(self) -> str:
                nonlocal u, v
                u = v = None
                gc.collect()
                if raising:
                    raise ValueError
                return "dropping"

        u, v = Dropping(), Last()

        def function() -> Any:
            return u, v

        return function

    free = [Source.free("u"), Source.free("v")]
    for guard, raising, told in (
        (Guard.same(free), False, "dropping and another object, last"),
        (Guard.identity(free[0], outer), False, "dropping"),
        (Guard.identity(free[0], outer), True, "Dropping whose repr() raises>"),
    ):
        function = outer(raising)
        program = native.GuardProgram(function.__code__, [guard])
        failure, _ = at_entry(function, program.explain)
        assert failure.actual.endswith(told)


# -- entries, removed and installed meanwhile; guards that call what they guard -------------------


def test_guard_that_calls_compiled_code() -> None:
    def original(a):
        return "original"

    def compiled(a):
        return "compiled"

    def other(a):
        return False

    def other_compiled(a):
        return True

    replace(other, other_compiled)
    replace(original, compiled, [Guard.predicate(Source.local("a"), other)])
    assert original(1) == "compiled"


def test_guard_that_calls_its_own_function() -> None:
    calls = []

    def original(a):
        return "original"

    def compiled(a):
        return "compiled"

    def predicate(a):
        calls.append(a)
        return a == 0 or original(a - 1) == "compiled"

    replace(original, compiled, [Guard.predicate(Source.local("a"), predicate)])
    assert original(3) == "compiled"
    assert calls == [3, 2, 1, 0]


def test_guard_that_calls_its_own_function_without_end_is_a_miss() -> None:
    def original(a):
        return "original"

    def compiled(a):
        return "compiled"

    entry = replace(original, compiled, [Guard.predicate(Source.local("a"), original)])
    assert original(1) == "compiled"
    assert entry.errors == 1 and entry.hits == 100
    assert entry.last_error == "the guards of this code call the code itself without end"


def test_guard_that_removes_its_own_entry() -> None:
    def original(a):
        return "original"

    def compiled(a):
        return "compiled"

    def predicate(a):
        native.reset(original.__code__)
        gc.collect()
        return True

    entry = replace(original, compiled, [Guard.predicate(Source.local("a"), predicate)])
    assert original(1) == "original"
    assert not entry.alive and entry.removed == "reset"


def test_guard_that_removes_the_entry_that_is_tried_first() -> None:
    """It stays in its place until the lookup is over, and must not run meanwhile."""

    def original(a):
        return "original"

    def first(a):
        return "first"

    def second(a):
        return "second"

    seen = []

    def predicate(a):
        if isinstance(a, str):
            removed.remove()
            seen.append(original(1))
        return isinstance(a, str)

    replace(original, second, [Guard.predicate(Source.local("a"), predicate)])
    removed = replace(original, first, [Guard.type(Source.local("a"), int)])
    assert original(1) == "first"
    assert original("x") == "second"
    assert seen == ["original"]
    assert original(1) == "original"


def test_guard_that_installs_entries() -> None:
    def original(a):
        return "original"

    def compiled(a):
        return "compiled"

    def predicate(a):
        for _ in range(10):
            replace(original, compiled)
        return False

    replace(original, compiled, [Guard.predicate(Source.local("a"), predicate)])
    assert original(1) == "compiled"
    assert len(native.entries(original.__code__)) == 11


def test_function_whose_code_is_replaced_while_a_guard_runs() -> None:
    def make():
        def original(a):
            return "original"

        return original

    def compiled(a):
        return "compiled"

    def next_code(a):
        return "next"

    original = make()

    def predicate(a):
        original.__code__ = next_code.__code__
        make.__code__ = next_code.__code__
        gc.collect()
        return True

    replace(original, compiled, [Guard.predicate(Source.local("a"), predicate)])
    assert original(1) == "compiled"
    assert original(1) == "next"


def test_keyboard_interrupt_in_a_guard_reaches_the_program() -> None:
    def original(a):
        total = 0
        for i in range(1000):
            total += i
        return total

    def predicate(a):
        raise KeyboardInterrupt

    replace(original, original, [Guard.predicate(Source.local("a"), predicate)])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            original(1)
    finally:
        signal.signal(signal.SIGINT, before)
