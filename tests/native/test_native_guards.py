"""Each guard fact, accepted and refused, with what a refusal says."""

from __future__ import annotations

import gc
import math
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from native_support import at_entry, native

Source, Guard, Expr, Design = native.Source, native.Guard, native.Expr, native.Design
A, B = Source.local("a"), Source.local("b")


def takes(a: Any = None, b: Any = None) -> None:
    return None


def verdicts(function: Callable[..., Any], guards: list[Any], *args: Any) -> Any:
    """The Failure, or None; the fast, explaining and dict checks have to agree on it."""
    program = native.GuardProgram(function.__code__, guards)

    def look(frame: Any) -> Any:
        failures = [program.explain(frame, design) for design in (Design.FRAME, Design.DICT)]
        for design, failure in zip((Design.FRAME, Design.DICT), failures, strict=True):
            assert program.check(frame, design) is (failure is None)
        assert str(failures[0]) == str(failures[1])
        return failures[0]

    return at_entry(function, look, *args)[0]


def holds(guard: Any, *args: Any) -> bool:
    return verdicts(takes, [guard], *args) is None


def says(guard: Any, *args: Any) -> str:
    failure = verdicts(takes, [guard], *args)
    assert failure is not None
    return f"{failure.kind}: {failure}"


class Weird:
    """Everything that a guard may ask of it raises."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(f"no {name} today")

    def __getitem__(self, key: object) -> Any:
        raise ZeroDivisionError("no item today")

    def __len__(self) -> int:
        raise ZeroDivisionError("no length today")

    def __contains__(self, item: object) -> bool:
        raise ZeroDivisionError("nothing in here today")


def float_of(bits: int) -> float:
    return struct.unpack("d", struct.pack("Q", bits))[0]  # type: ignore[no-any-return]


def test_type_is_exact() -> None:
    assert holds(Guard.type(A, int), 1)
    assert not holds(Guard.type(A, int), True)
    assert says(Guard.type(A, int), 1.5) == (
        "mismatch: a: expected type <class 'int'>, got type <class 'float'>"
    )


def test_identity() -> None:
    thing = SimpleNamespace()
    assert holds(Guard.identity(A, thing), thing)
    assert not holds(Guard.identity(A, thing), SimpleNamespace())
    assert holds(Guard.identity(A, None), None)
    big = 10**30
    assert holds(Guard.identity(A, big), big)
    assert not holds(Guard.identity(A, big), int(str(big)))


def test_absence_and_presence() -> None:
    attribute = A.attribute("x")
    assert holds(Guard.absent(attribute), SimpleNamespace())
    assert not holds(Guard.present(attribute), SimpleNamespace())
    assert not holds(Guard.absent(attribute), SimpleNamespace(x=None))
    assert holds(Guard.present(attribute), SimpleNamespace(x=None))
    assert holds(Guard.absent(attribute.attribute("y").item(0)), SimpleNamespace())
    assert says(Guard.absent(attribute), SimpleNamespace(x=5)) == (
        "mismatch: a.x: expected absent, got 5"
    )


NAN = float("nan")
CONSTANTS = [
    None,
    ...,
    NotImplemented,
    True,
    False,
    0,
    1,
    2**70,
    0.0,
    -0.0,
    1.0,
    NAN,
    float_of(0x7FF8000000000001),
    math.inf,
    0j,
    complex(0.0, -0.0),
    "",
    "a",
    b"",
    b"a",
    (),
    (1,),
    (True,),
    (1.0,),
    (0.0,),
    (-0.0,),
    ((1,), "a"),
    frozenset(),
    frozenset({1}),
    frozenset({True}),
    frozenset({1.0, "a"}),
    frozenset({(1,)}),
    frozenset({(True,)}),
]


def copied(constant: Any) -> Any:
    """An equal object that is another one wherever that is possible."""
    if type(constant) is float:
        return struct.unpack("d", struct.pack("d", constant))[0]
    if type(constant) is complex:
        return complex(copied(constant.real), copied(constant.imag))
    if type(constant) in (tuple, frozenset):
        return type(constant)(copied(item) for item in constant)
    if type(constant) in (int, str, bytes):
        return eval(repr(constant))
    return constant


def test_equality_is_exact() -> None:
    for i, constant in enumerate(CONSTANTS):
        for j, value in enumerate(CONSTANTS):
            assert holds(Guard.equals(A, constant), copied(value)) is (i == j), (constant, value)


def test_equality_takes_constants_only() -> None:
    for thing in ([], {}, set(), object(), Weird(), (1, []), frozenset({A})):
        with pytest.raises(TypeError, match=r"Guard\.identity"):
            Guard.equals(A, thing)


def test_length() -> None:
    for value in ([1, 2], (1, 2), {1: 2, 3: 4}, "ab", {1, 2}, range(2), b"ab"):
        assert holds(Guard.length(A, 2), value)
        assert not holds(Guard.length(A, 3), value)
    assert says(Guard.length(A, 1), []) == "mismatch: a: expected length 1, got length 0"
    assert says(Guard.length(A, 1), Weird()) == (
        "error: a: expected length 1, got ZeroDivisionError: no length today"
    )
    assert says(Guard.length(A, 1), 5).startswith("error: ")


def test_dict_keys_in_order() -> None:
    key = object()
    guard = Guard.dict_keys(A, ("x", 1, key))
    assert holds(guard, {"x": 0, 1: 0, key: 0})
    assert not holds(guard, {1: 0, "x": 0, key: 0})
    assert not holds(guard, {"x": 0, True: 0, key: 0})
    assert not holds(guard, {"x": 0, 1: 0, object(): 0})
    assert not holds(guard, {"x": 0, 1: 0})
    assert not holds(guard, ["x", 1, key])
    ordered = OrderedDict([("x", 0), (1, 0), (key, 0)])
    assert holds(guard, ordered)
    ordered.move_to_end("x")
    assert not holds(guard, ordered)


def test_set_contents() -> None:
    guard = Guard.set_contents(A, {1, "a", NAN})
    assert holds(guard, {"a", 1, copied(NAN)})
    assert not holds(guard, {"a", True, NAN})
    assert not holds(guard, frozenset({1, "a", NAN}))
    assert not holds(guard, {1, "a"})
    assert not holds(guard, [1, "a", NAN])
    with pytest.raises(TypeError, match="constants only"):
        Guard.set_contents(A, {A})


def test_set_guard_keeps_its_own_copy() -> None:
    contents = {1}
    guard = Guard.set_contents(A, contents)
    contents.add(2)
    assert holds(guard, {1})


def test_membership() -> None:
    for value in ([1, 2], {1}, {1: 0}, (1.0,), {True}):
        assert holds(Guard.contains(A, 1), value)
        assert not holds(Guard.lacks(A, 1), value)
    for value in ([2], set(), {}, ()):
        assert not holds(Guard.contains(A, 1), value)
        assert holds(Guard.lacks(A, 1), value)
    for guard in (Guard.contains(A, 1), Guard.lacks(A, 1)):
        assert says(guard, Weird()).startswith("error: ")


def test_aliasing() -> None:
    one, two = [1], [1]
    assert holds(Guard.same([A, B]), one, one)
    assert not holds(Guard.same([A, B]), one, two)
    assert holds(Guard.distinct([A, B]), one, two)
    assert not holds(Guard.distinct([A, B]), one, one)
    nested = [A.item(i) for i in range(300)]
    things: list[object] = [object() for _ in range(300)]
    assert holds(Guard.distinct(nested), things)
    things[299] = things[0]
    assert not holds(Guard.distinct(nested), things)
    with pytest.raises(ValueError, match="at least two"):
        Guard.same([A])


def shaped(*shape: int) -> SimpleNamespace:
    return SimpleNamespace(shape=shape)


def test_relations() -> None:
    rows, cols = Expr.size(A, 0), Expr.size(B, 0)
    assert holds(Guard.relation(rows == cols), shaped(3), shaped(3))
    assert not holds(Guard.relation(rows == cols), shaped(3), shaped(4))
    assert holds(Guard.relation(rows * 2 + 1 <= cols), shaped(3), shaped(7))
    assert holds(Guard.relation(rows // 2 == cols), shaped(-3), shaped(-2))
    assert holds(Guard.relation(rows % 2 == 1), shaped(-3))
    assert holds(Guard.relation(10 - Expr.int(B) > rows), shaped(3), 6)
    assert holds(Guard.relation(Expr.int(A) * Expr.int(A) == 2**80), 2**40)
    assert holds(Guard.relation(Expr.int(A) + 1 > 2**63 - 1), 2**63 - 1)
    assert holds(Guard.relation(Expr.int(A) // -1 == 2**63), -(2**63))
    assert says(Guard.relation(rows == cols * 2), shaped(3), shaped(4)) == (
        "mismatch: a.shape[0] == (b.shape[0] * 2): expected true, got a.shape[0] = 3, "
        "b.shape[0] = 4"
    )
    assert says(Guard.relation(Expr.int(A) // Expr.int(B) == 0), 1, 0).startswith(
        "error: (a // b) == 0: expected true, got ZeroDivisionError"
    )
    assert says(Guard.relation(Expr.size(A, 2) > 0), shaped(1)).startswith("missing: ")
    assert says(Guard.relation(Expr.size(A, 0) > 0), 5).startswith("missing: ")
    assert "which is no int" in says(Guard.relation(Expr.int(A) == 1), True)


def test_relation_misuse() -> None:
    rows = Expr.size(A, 0)
    with pytest.raises(ValueError, match="compare it"):
        Guard.relation(rows + 1)
    with pytest.raises(TypeError, match="guard of its own"):
        (rows == 1) + 1
    with pytest.raises(TypeError, match="not a truth value"):
        bool(rows == 1)
    with pytest.raises(TypeError, match=r"not 1\.5"):
        rows + 1.5
    with pytest.raises(ValueError, match="out of range"):
        Expr.size(A, -1)


def test_predicates() -> None:
    assert holds(Guard.predicate(A, lambda value: value > 3), 4)
    assert not holds(Guard.predicate(A, lambda value: value > 3), 3)
    assert says(Guard.predicate(A, lambda value: 1 // value), 0).startswith("error: ")
    assert holds(Guard.frame_predicate(lambda frame: frame.locals == {"a": 1, "b": 2}), 1, 2)
    assert not holds(Guard.frame_predicate(lambda frame: frame.local("a")), 0)


def test_global_state_getters() -> None:
    level = [1]
    guard = Guard.global_state({"level": lambda: level[0], "limit": sys.getrecursionlimit})
    assert ("level", "1") in guard.state
    assert holds(guard)
    level[0] = 2
    assert says(guard) == "mismatch: global state: expected level 1, got level 2"
    level[0] = True  # type: ignore[call-overload]
    assert not holds(guard)
    with pytest.raises(TypeError, match="zero-argument"):
        Guard.global_state({"level": 1})


some_global = [1]


def test_sources() -> None:
    free = {"k": "v"}

    def inner(x: int = 5, *, y: int = 6) -> Any:
        return free

    def function(a: Any, b: Any) -> Any:
        return free, (lambda: b)

    thing = SimpleNamespace(name="n")
    expectations = [
        (Source.local("a"), "a", inner),
        (Source.local("b"), "b", thing),
        (Source.cell("b"), "b", thing),
        (Source.free("free"), "free", free),
        (Source.free("free").dict_key(0), "list(free)[0]", "k"),
        (Source.free("free").item("k"), "free['k']", "v"),
        (Source.global_("some_global"), "globals()['some_global']", some_global),
        (Source.global_("some_global").item(-1), "globals()['some_global'][-1]", 1),
        (Source.builtin("len"), "builtins.len", len),
        (Source.local("a").closure(0), "a.__closure__[0].cell_contents", free),
        (Source.local("a").default(0), "a.__defaults__[0]", 5),
        (Source.local("a").keyword_default("y"), "a.__kwdefaults__['y']", 6),
        (Source.local("b").attribute("name"), "b.name", "n"),
        (Source.local("b").attribute("no name"), "getattr(b, 'no name')", None),
        (Source.local("b").type(), "type(b)", SimpleNamespace),
        (Source.local("b").instance_dict(), "b.__dict__", thing.__dict__),
        (Source.local("b").instance_dict().item("name"), "b.__dict__['name']", "n"),
    ]
    for source, text, value in expectations:
        assert source.text == text
        guard = Guard.absent(source) if value is None else Guard.identity(source, value)
        assert verdicts(function, [guard], inner, thing) is None, text


def test_sources_that_lead_nowhere() -> None:
    def bare() -> None:
        return None

    def late(a: Any) -> Any:
        b = a
        return lambda: b

    nowhere = [
        A.attribute("x"),
        A.closure(0),
        A.default(0),
        A.keyword_default("x"),
        A.dict_key(0),
        Source.global_("no such global"),
        Source.builtin("some_global"),
    ]
    for source in nowhere:
        assert holds(Guard.absent(source), bare), source.text
        assert says(Guard.type(source, int), bare).startswith("missing: "), source.text
    for source in (A.item(5), A.item("k"), A.instance_dict()):
        assert holds(Guard.absent(source), {}), source.text
    assert holds(Guard.absent(A.item(5)), [1])
    assert verdicts(late, [Guard.absent(Source.cell("b"))], 1) is None


def test_errors_are_misses_that_say_so() -> None:
    for source in (A.attribute("x"), A.item(0)):
        for guard in (Guard.absent(source), Guard.type(source, int)):
            text = says(guard, Weird())
            assert text.startswith("error: ") and "ZeroDivisionError: no" in text
    assert says(Guard.absent(A.item([])), {}).startswith("error: ")


def test_first_failing_guard_is_named() -> None:
    guards = [Guard.type(A, int), Guard.equals(B.attribute("x"), 1), Guard.equals(A, 5)]
    failure = verdicts(takes, guards, 5, SimpleNamespace(x=2))
    assert (failure.guard, failure.source, failure.expected, failure.actual) == (1, "b.x", "1", "2")
    assert verdicts(takes, guards, 4, SimpleNamespace(x=1)).guard == 2
    assert verdicts(takes, guards, 5, SimpleNamespace(x=1)) is None


def test_a_source_is_computed_once() -> None:
    counted = []

    class Counter:
        @property
        def x(self) -> int:
            counted.append(1)
            return 1

    x = A.attribute("x")
    guards = [Guard.type(x, int), Guard.equals(A.attribute("x"), 1), Guard.equals(x, 1)]
    program = native.GuardProgram(takes.__code__, guards)
    assert len(program) == 3 and program.instructions == 4
    assert at_entry(takes, program.check, Counter())[0]
    assert len(counted) == 1


def test_keys_that_look_alike_are_different_sources() -> None:
    class Key:
        def __repr__(self) -> str:
            return "key"

    one, two = Key(), Key()
    guards = [Guard.equals(A.item(one), 1), Guard.equals(A.item(two), 2)]
    assert verdicts(takes, guards, {one: 1, two: 2}) is None


def test_object_that_died() -> None:
    thing = Weird()
    guard = Guard.identity(A, thing)
    program = native.GuardProgram(takes.__code__, [Guard.present(A), guard])
    del thing, guard
    gc.collect()
    assert program.dead
    failure, _ = at_entry(takes, program.explain, 1)
    assert (failure.kind, failure.guard, failure.source) == ("died", 1, "a")
    assert "Weird object" in failure.expected


def test_class_that_died() -> None:
    class Gone:
        pass

    program = native.GuardProgram(takes.__code__, [Guard.type(A, Gone)])
    del Gone
    gc.collect()
    assert program.dead
    assert not at_entry(takes, program.check, 1)[0]


def test_program_is_for_its_code_only() -> None:
    def other(a: Any) -> None:
        return None

    program = native.GuardProgram(other.__code__, [])

    def look(frame: Any) -> None:
        with pytest.raises(ValueError, match="other code"):
            program.check(frame)

    at_entry(takes, look)


def test_wide_programs() -> None:
    guards = [Guard.equals(A.item(i), i) for i in range(1000)]
    assert verdicts(takes, guards, list(range(1000))) is None
    values = list(range(1000))
    values[999] = 0
    assert verdicts(takes, guards, values).guard == 999
