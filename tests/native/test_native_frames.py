"""What a Frame shows at entry is what inspect shows when the body starts."""

# The bodies of the functions here are the programs under test, odd as they may look.
# ruff: noqa: B023, C416, RET504

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import CellType
from typing import Any

import pytest
from native_support import at_entry, native


def eager_view() -> dict[str, Any]:
    """The caller's f_locals."""
    return dict(inspect.currentframe().f_back.f_locals)  # type: ignore[union-attr]


def shapes() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    u, v = "free u", ["free v"]
    if not u:
        w = 1

    def plain(a, b):
        return eager_view()

    def nothing():
        return eager_view()

    def later_locals(a):
        seen = eager_view()
        b = c = a
        return seen, b, c

    def deleted(a, b):
        seen = eager_view()
        del b
        return seen

    def defaults(a, b=2, *, k=3):
        return eager_view()

    def varargs(a, /, *args, k=0, **kw):
        return eager_view()

    def argument_cells(a, b, c):
        seen = eager_view()
        return seen, lambda: (a, c)

    def all_cells(a, *args, k, **kw):
        seen = eager_view()
        return seen, lambda: (a, args, k, kw)

    def late_cell(a):
        seen = eager_view()
        x = a
        return seen, lambda: x

    def free(a):
        return eager_view(), u, v

    def free_and_cells(a, b):
        seen = eager_view()
        return seen, lambda: (a, u), v

    def unbound_free(a):
        seen = eager_view()
        try:
            return seen, w, u
        except NameError:
            return seen

    def comprehension(a, x):
        seen = eager_view()
        return seen, [lambda: (x, a) for x in range(2)], [a for a in range(3)]

    return {
        "plain": (plain, (1, 2), {}),
        "nothing": (nothing, (), {}),
        "later_locals": (later_locals, (1,), {}),
        "deleted": (deleted, (1, 2), {}),
        "defaults": (defaults, (1,), {}),
        "varargs": (varargs, (1, 2, 3), {"k": 4, "z": 5}),
        "argument_cells": (argument_cells, (1, 2, 3), {}),
        "all_cells": (all_cells, (1, 2), {"k": 3, "z": 4}),
        "late_cell": (late_cell, (1,), {}),
        "free": (free, (1,), {}),
        "free_and_cells": (free_and_cells, (1, 2), {}),
        "unbound_free": (unbound_free, (1,), {}),
        "comprehension": (comprehension, (1, 2), {}),
        "cell_as_argument": (plain, (CellType(1), CellType()), {}),
        "cell_in_a_cell": (argument_cells, (CellType(1), 2, CellType()), {}),
    }


def test_locals_are_what_inspect_shows() -> None:
    for name, (function, args, kw) in shapes().items():
        seen, result = at_entry(function, lambda frame: frame.locals, *args, **kw)
        eager = result[0] if isinstance(result, tuple) else result
        assert list(seen.items()) == list(eager.items()), name
        assert all(seen[key] is eager[key] for key in eager), name


def test_locals_are_made_once_a_frame() -> None:
    def function(a: int) -> int:
        return a

    same, _ = at_entry(function, lambda frame: frame.locals is frame.locals, 1)
    assert same


def test_changing_the_dict_changes_no_variable() -> None:
    def function(a: int) -> int:
        return a

    _, result = at_entry(function, lambda frame: frame.locals.update(a=9), 1)
    assert result == 1


def test_variables_by_scope() -> None:
    u = "free"

    def function(a: int, b: int) -> Any:
        return u, lambda: b

    def look(frame: Any) -> Any:
        return frame.local("a"), frame.local("b"), frame.cell("b"), frame.free("u")

    assert at_entry(function, look, 1, 2)[0] == (1, 2, 2, "free")


def test_wrong_scope_says_where_the_name_is() -> None:
    u = "free"

    def function(a: int) -> Any:
        return u

    def look(frame: Any) -> list[str]:
        messages = []
        for read in (lambda: frame.local("u"), lambda: frame.free("a"), lambda: frame.cell("zz")):
            with pytest.raises(ValueError) as raised:
                read()
            messages.append(str(raised.value))
        return messages

    local_u, free_a, cell_zz = at_entry(function, look, 1)[0]
    assert "Source.free('u')" in local_u
    assert "Source.local('a')" in free_a
    assert "no variable 'zz'" in cell_zz


def test_unbound_local_is_a_lookup_error() -> None:
    def function(a: int) -> int:
        b = a
        return b

    def look(frame: Any) -> str:
        with pytest.raises(LookupError) as raised:
            frame.local("b")
        return str(raised.value)

    assert "not bound" in at_entry(function, look, 1)[0]


def test_slots_count_from_zero() -> None:
    def function(a: int, b: int) -> int:
        return a + b

    def look(frame: Any) -> Any:
        for index in (-1, 2):
            with pytest.raises(IndexError, match="out of range"):
                frame.slot(index)
        return frame.slot(0), frame.slot(1)

    assert at_entry(function, look, 3, 4)[0] == (("a", 3), ("b", 4))
    assert native.slots(function.__code__) == [("a", "fast", 0), ("b", "fast", 1)]


def test_frame_ends_with_the_callback() -> None:
    def function(a: int) -> int:
        return a

    frame, _ = at_entry(function, lambda frame: frame, 1)
    for use in (lambda: frame.code, lambda: frame.locals, lambda: frame.local("a")):
        with pytest.raises(RuntimeError, match="begun to run"):
            use()


def test_function_globals_and_builtins() -> None:
    def function() -> None:
        return None

    def look(frame: Any) -> Any:
        return frame.function, frame.globals is globals(), "len" in frame.builtins, frame.code

    seen, own_globals, has_len, code = at_entry(function, look)[0]
    assert seen is (function if sys.version_info >= (3, 11) else None)
    assert own_globals and has_len and code is function.__code__


def test_every_small_layout() -> None:
    """All ways for four arguments to be plain, cells or deleted, with and without free names."""
    bodies = ["pass", "inner = lambda: {0}", "del {0}"]
    free = 1
    count = 0
    for choice in range(3**4):
        lines = ["seen = eager_view()", "keep = free"]
        for i, name in enumerate("abcd"):
            lines.append(bodies[choice // 3**i % 3].format(name))
        text = (
            "def outer(free):\n"
            " def function(a, b, /, c, *, d):\n  "
            + "\n  ".join(lines)
            + "\n  return seen\n return function\n"
        )
        namespace: dict[str, Any] = {"eager_view": eager_view}
        exec(text, namespace)
        function = namespace["outer"](free)
        seen, eager = at_entry(function, lambda frame: frame.locals, 1, 2, 3, d=4)
        assert list(seen.items()) == list(eager.items()), text
        count += 1
    assert count == 81
