"""Guards evaluated in plain Python over `inspect`'s view of an eager frame, for comparison.

Holds the layouts of a function under test, the values to call it with, and a reference that knows
nothing of the native code.
"""

from __future__ import annotations

import builtins
import inspect
import os
import struct
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from native_support import native

Design = native.Design


# -- the program under test: every layout of the same variables ---------------------------------


def view() -> dict[str, Any]:
    return dict(inspect.currentframe().f_back.f_locals)  # type: ignore[union-attr]


def layouts(u: Any, v: Any) -> list[Callable[..., Any]]:
    if isinstance(u, SimpleNamespace) and hasattr(u, "never"):
        w = 1

    def plain(a, b):
        return view(), u, v

    def cells(a, b):
        seen = view()
        late = 1
        return seen, (lambda: (a, late)), u, v

    def both_cells(a, b):
        seen = view()
        return seen, (lambda: (b, a, u)), v

    def deleted(a, b):
        seen = view()
        del a
        return seen, u, v

    def defaults(a, b=u, *rest, k=v, **kw):
        seen = view()
        return seen, (lambda: (rest, k)), u, v

    def unbound(a, b):
        seen = view()
        try:
            return seen, w, u, v
        except NameError:
            return seen

    return [plain, cells, both_cells, deleted, defaults, unbound]


class Plain:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("x",)


class Raising:
    """Raises something else than the lookup errors wherever it is asked."""

    x = property(lambda self: 1 // 0)
    shape = property(lambda self: 1 // 0)

    def __getitem__(self, key: object) -> Any:
        raise OSError("item")

    def __len__(self) -> int:
        raise OSError("len")

    def __contains__(self, item: object) -> bool:
        raise OSError("contains")

    def __eq__(self, other: object) -> bool:
        raise OSError("eq")

    __hash__ = None  # type: ignore[assignment]


class DictKind(dict):  # type: ignore[type-arg]
    def __missing__(self, key: object) -> Any:
        return "missing"


class IntKind(int):
    pass


def function_of(value: Any, other: Any) -> Any:
    def inner(p: Any = value, *, q: Any = other) -> Any:
        return value, other

    return inner


NAN, OTHER_NAN = struct.unpack("dd", struct.pack("QQ", 0x7FF8000000000000, 0x7FF8000000000001))
scalars = st.sampled_from(
    [None, ..., True, False, 0, 1, -1, 2, 3, 2**63 - 1, -(2**63), 2**70]
    + [0.0, -0.0, 1.0, NAN, OTHER_NAN, 0j, complex(0.0, -0.0), complex(NAN, 0.0)]
    + ["", "x", "k", b"", b"x"]
)
constants = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.lists(inner, max_size=3).map(frozenset)
    ),
    max_leaves=4,
)
keys = st.sampled_from(["x", "k", 0, 1, True, 1.0, -1, None, (0,), frozenset({"x"})])
attribute_names = st.sampled_from(["x", "y", "shape", "no name"])


def moved(items: list[tuple[Any, Any]]) -> Any:
    ordered = OrderedDict(items)
    if ordered:
        ordered.move_to_end(next(iter(ordered)))
    return ordered


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    items = st.lists(st.tuples(keys, inner), max_size=3)
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        items.map(dict),
        items.map(DictKind),
        items.map(moved),
        st.lists(constants, max_size=3).map(set),
        st.dictionaries(attribute_names, inner, max_size=3).map(lambda d: Plain(**d)),
        st.dictionaries(attribute_names, inner, max_size=3).map(lambda d: SimpleNamespace(**d)),
        st.lists(st.integers(-3, 5), max_size=3).map(lambda s: SimpleNamespace(shape=tuple(s))),
        st.tuples(inner, inner).map(lambda pair: function_of(*pair)),
        st.builds(Raising),
        st.builds(Slotted),
        st.sampled_from([int, Plain, len, IntKind(1), range(2)]),
    )


values = st.recursive(scalars, containers, max_leaves=6)


# -- the reference ------------------------------------------------------------------------------


class Nothing(Exception):
    """A source that leads nowhere."""


class Broken(Exception):
    """A source or comparison that raises."""


def only(error: type[BaseException], compute: Callable[[], Any]) -> Any:
    """`compute()`, where `error` means that there is nothing."""
    try:
        return compute()
    except error:
        raise Nothing from None
    except Exception:
        raise Broken from None


def step(value: Any, kind: str, key: Any) -> Any:
    if kind == "attribute":
        return only(AttributeError, lambda: getattr(value, key))
    if kind == "item":
        return only(LookupError, lambda: value[key])
    if kind == "type":
        return type(value)
    if kind == "instance_dict":
        if type(value) not in (Plain, SimpleNamespace, Raising, FunctionType) and not isinstance(
            value, (DictKind, IntKind, OrderedDict)
        ):
            raise Nothing
        return object.__getattribute__(value, "__dict__")
    if kind == "dict_key":
        if not isinstance(value, dict) or key >= len(value):
            raise Nothing
        return list(value)[key]
    if type(value) is not FunctionType:
        raise Nothing
    if kind == "closure":
        cell = only(LookupError, lambda: (value.__closure__ or ())[key])
        return only(ValueError, lambda: cell.cell_contents)
    if kind == "default":
        return only(LookupError, lambda: (value.__defaults__ or ())[key])
    return only(LookupError, lambda: (value.__kwdefaults__ or {})[key])


Path = tuple[tuple[str, Any], ...]


def resolve(path: Path, frame_locals: dict[str, Any]) -> Any:
    (root, name), *rest = path
    if root == "global_":
        value = only(KeyError, lambda: globals()[name])
    elif root == "builtin":
        value = only(KeyError, lambda: vars(builtins)[name])
    else:
        value = only(KeyError, lambda: frame_locals[name])
    for kind, key in rest:
        value = step(value, kind, key)
    return value


def aliases(paths: list[Path], frame_locals: dict[str, Any], same: bool) -> bool:
    """All sources are computed before any is looked at, in order: one that raises comes first."""
    known: dict[str, Any] = {}  # a source that occurs twice is computed once
    for path in paths:
        if repr(path) in known:
            continue
        try:
            known[repr(path)] = (resolve(path, frame_locals),)
        except Nothing:
            known[repr(path)] = ()
    found = [known[repr(path)] for path in paths]
    for i, each in enumerate(found):
        if not each:
            raise Nothing
        before = found[:1] if same else found[:i]
        if any((each[0] is other[0]) is not same for other in before):
            return False
    return True


def exactly(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return struct.pack("d", a) == struct.pack("d", b)
    if type(a) is complex:
        return exactly(a.real, b.real) and exactly(a.imag, b.imag)
    if type(a) is tuple:
        return len(a) == len(b) and all(map(exactly, a, b))
    if type(a) in (frozenset, set):
        return (
            len(a) == len(b)
            and all(any(exactly(x, y) for y in b) for x in a)
            and all(any(exactly(x, y) for x in a) for y in b)
        )
    if type(a) in (int, str, bytes):
        return bool(a == b)
    return a is b


def holds(fact: str, argument: Any, value: Any) -> bool:
    if fact == "type":
        return type(value) is argument
    if fact == "identity":
        return value is argument
    if fact == "present":
        return True
    if fact in ("equals", "set_contents"):
        return exactly(value, argument)
    if fact == "length":
        return bool(only(NoError, lambda: len(value)) == argument)
    if fact == "dict_keys":
        return (
            isinstance(value, dict)
            and len(value) == len(argument)
            and all(x is y or exactly(x, y) for x, y in zip(value, argument, strict=True))
        )
    if fact == "contains":
        return bool(only(NoError, lambda: argument in value))
    if fact == "lacks":
        return bool(only(NoError, lambda: argument not in value))
    assert fact == "predicate"
    return bool(only(NoError, lambda: argument(value)))


class NoError(Exception):
    """Never raised: every error of what is compared is a broken guard."""


def verdict(kind: str, paths: list[Path], argument: Any, frame_locals: dict[str, Any]) -> str:
    """'holds', or the kind of failure."""
    try:
        if kind == "absent":
            try:
                resolve(paths[0], frame_locals)
            except Nothing:
                return "holds"
            return "mismatch"
        if kind in ("same", "distinct"):
            answer = aliases(paths, frame_locals, kind == "same")
        else:
            answer = holds(kind, argument, resolve(paths[0], frame_locals))
        return "holds" if answer else "mismatch"
    except Nothing:
        return "missing"
    except Broken:
        return "error"


# -- running a test ------------------------------------------------------------------------------


def first_failure(verdicts: list[str]) -> tuple[int, str] | None:
    return next(((i, v) for i, v in enumerate(verdicts) if v != "holds"), None)


def all_checks(program: Any) -> Callable[[Any], Any]:
    def look(frame: Any) -> Any:
        answers = []
        for design in (Design.FRAME, Design.DICT):
            failure = program.explain(frame, design)
            told = None if failure is None else (failure.guard, failure.kind)
            assert program.check(frame, design) is (failure is None)
            answers.append(told)
        return answers

    return look


# FRAMEJIT_EXAMPLES=20 explores twenty times as much, 0.1 a tenth.
SCALE = float(os.environ.get("FRAMEJIT_EXAMPLES", "1"))


def exploring(examples: int) -> Any:
    return settings(
        max_examples=max(10, int(examples * SCALE)),
        deadline=None,
        derandomize=True,
        # Explaining a failure traces every line, also of examples that do not fail.
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
