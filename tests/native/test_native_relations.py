"""Relations of sizes and ints against the same arithmetic in Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from native_reference import Broken, Nothing, all_checks, exploring, layouts, only
from native_support import at_entry, native

Source, Guard, Expr = native.Source, native.Guard, native.Expr


ints = st.one_of(st.integers(-6, 6), st.integers(-(2**65), 2**65))
leaves = st.one_of(
    ints.map(lambda n: ("const", n)),
    st.sampled_from([("int", "a"), ("int", "b"), ("size", 0), ("size", 1)]),
)
terms = st.recursive(
    leaves,
    lambda inner: st.tuples(st.sampled_from(["+", "-", "*", "//", "%"]), inner, inner),
    max_leaves=6,
)
PYTHON = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}


def native_term(term: Any) -> Any:
    if term[0] == "const":
        return term[1]
    if term[0] == "int":
        return Expr.int(Source.local(term[1]))
    if term[0] == "size":
        return Expr.size(Source.free("u"), term[1])
    return PYTHON[term[0]](native_term(term[1]), native_term(term[2]))


def python_leaves(term: Any, a: Any, b: Any, u: Any) -> Any:
    """Evaluates the leaves of a term, left to right, and yields it with numbers in their place."""
    if term[0] == "const":
        return term[1]
    if term[0] == "int":
        value = a if term[1] == "a" else b
        if type(value) is not int:
            raise TypeError
        return value
    if term[0] == "size":
        return only(LookupError, lambda: only(AttributeError, lambda: u.shape)[term[1]])
    return [term[0], *(python_leaves(each, a, b, u) for each in term[1:])]


def compute(term: Any) -> Any:
    return PYTHON[term[0]](compute(term[1]), compute(term[2])) if type(term) is list else term


@exploring(1500)
@given(
    left=terms,
    right=terms,
    comparison=st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
    a=st.one_of(ints, ints, st.sampled_from([True, 1.0, "x"])),
    b=ints,
    shape=st.lists(ints, min_size=1, max_size=2),
)
def test_relations_agree_with_python(
    left: Any, right: Any, comparison: str, a: Any, b: Any, shape: list[int]
) -> None:
    u = SimpleNamespace(shape=tuple(shape))
    relation = (comparison, left, right)
    try:
        built = native_term(relation)
    except ZeroDivisionError:
        return  # already among its constants
    if isinstance(built, bool):
        return  # no leaf of it is a source
    try:
        expected = "holds" if compute(python_leaves(relation, a, b, u)) else "mismatch"
    except Nothing:
        expected = "missing"
    except TypeError:
        expected = "mismatch"
    except (ZeroDivisionError, Broken):
        expected = "error"
    function = layouts(u, None)[0]
    try:
        guard = Guard.relation(built)
    except TypeError:
        return
    program = native.GuardProgram(function.__code__, [guard])
    answers, _ = at_entry(function, all_checks(program), a, b)
    assert answers == [None if expected == "holds" else (0, expected)] * 2, guard.source
