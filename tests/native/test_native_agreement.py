"""The fast, explaining and dict checks against the same guards evaluated in plain Python.

Hypothesis draws the function's layout, its arguments, the sources and the facts.
"""

from __future__ import annotations

import builtins
import contextlib
from collections import Counter
from collections.abc import Iterator
from types import CodeType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from native_reference import (
    SCALE,
    Broken,
    DictKind,
    Nothing,
    Path,
    Plain,
    all_checks,
    attribute_names,
    constants,
    containers,
    exploring,
    first_failure,
    function_of,
    keys,
    layouts,
    resolve,
    scalars,
    values,
    verdict,
)
from native_support import at_entry, native

Source, Guard = native.Source, native.Guard


# -- drawing guards -----------------------------------------------------------------------------

STEPS = {
    "attribute": attribute_names,
    "item": keys,
    "type": st.none(),
    "instance_dict": st.none(),
    "dict_key": st.integers(0, 2),
    "closure": st.integers(0, 2),
    "default": st.integers(0, 2),
    "keyword_default": st.sampled_from(["q", "z"]),
}
SOURCES = ["local", "free", "cell", "global_", "builtin", *STEPS]
# One alternative a kind, so that each is drawn as often as the others.
any_step = st.one_of([st.tuples(st.just(kind), key) for kind, key in STEPS.items()])


def roots_of(code: CodeType) -> list[tuple[str, str]]:
    """Every variable of the code, bound or not, and the two that `drawn_names` makes."""
    # `kw` is another dict at each call.
    roots = [("local", name) for name in code.co_varnames if name != "kw"]
    roots += [("cell", name) for name in code.co_cellvars] * 2
    roots += [("free", name) for name in code.co_freevars]
    scopes = ("global_", "builtin")
    return roots + [(scope, name) for scope in scopes for name in ("drawn_name", "absent_name")]


@contextlib.contextmanager
def drawn_names(in_globals: Any, in_builtins: Any) -> Iterator[None]:
    scopes = [layouts.__globals__, vars(builtins)]
    for scope, value in zip(scopes, (in_globals, in_builtins), strict=True):
        scope["drawn_name"] = value
    try:
        yield
    finally:
        for scope in scopes:
            del scope["drawn_name"]


Step = tuple[str, Any]


def wrapped(kind: str, value: Any, key: Any) -> tuple[Any, Step]:
    """Something from which a step of that kind leads to the value, if anything can."""
    if kind == "attribute":
        return Plain(**{key: value}), (kind, key)
    if kind == "item":
        return (DictKind if key == "x" else dict)({key: value}), (kind, key)
    if kind == "dict_key":
        return {value: 0}, (kind, 0)
    if kind == "closure":
        return function_of(value, None), (kind, 1)
    if kind == "default":
        return function_of(value, None), (kind, 0)
    if kind == "keyword_default":
        return function_of(None, value), (kind, "q")
    return value, (kind, None)  # the type or instance dict of any value


leaves = st.one_of(
    constants,
    st.lists(constants, min_size=1, max_size=3).map(set),
    st.dictionaries(keys, scalars, min_size=1, max_size=3),
    st.lists(scalars, min_size=1, max_size=3),
    values,
    containers(values),
)


@st.composite
def held(draw: st.DrawFn) -> tuple[Any, list[Step]]:
    """A value, and the steps that lead from it to one that was drawn with more care."""
    value, path = draw(leaves), []
    for kind in draw(st.lists(st.sampled_from(list(STEPS)), max_size=2)):
        if kind == "dict_key":
            value, path = draw(constants), []  # whatever it is, it has a hash
        value, step = wrapped(kind, value, draw(STEPS[kind]))
        path.insert(0, step)
    return value, path


@st.composite
def paths_in(draw: st.DrawFn, roots: list[tuple[str, str]], known: dict[str, list[Step]]) -> Path:
    scope, name = draw(st.sampled_from(roots))
    key = {"global_": "u", "builtin": "v"}.get(scope, name)
    path = ((scope, name), *known.get(key, []))
    if draw(st.integers(0, 2)):
        return path
    cut = draw(st.integers(1, len(path)))
    return (*path[:cut], *draw(st.lists(any_step, max_size=2)))


def native_source(path: Path) -> Any:
    (root, name), *rest = path
    source = getattr(Source, root)(name)
    for kind, key in rest:
        if kind in ("type", "instance_dict"):
            source = getattr(source, kind)()
        else:
            source = getattr(source, kind)(key)
    return source


def truth(value: Any) -> bool:
    return bool(value)


Fact = tuple[str, list[Path], Any]
FACTS = ["type", "identity", "absent", "present", "equals", "length", "dict_keys", "set_contents"]
FACTS += ["contains", "lacks", "predicate", "same", "distinct"]


@st.composite
def facts(draw: st.DrawFn, paths: Any, frame_locals: dict[str, Any]) -> list[Fact]:
    """Every kind of fact of one source: mostly true of what it yields, else of another value."""
    path = draw(paths)
    other = draw(values)
    value = other
    if draw(st.integers(0, 3)):
        with contextlib.suppress(Nothing, Broken):
            value = resolve(path, frame_locals)
    size, member = draw(st.integers(0, 3)), draw(st.one_of(keys, scalars))
    if type(value) in (str, bytes, tuple, list, dict, set, frozenset) and draw(st.booleans()):
        size, member = len(value), next(filter(is_constant, value), member)
    others = st.lists(st.one_of(st.just(path), paths), min_size=1, max_size=2)
    return [
        ("type", [path], type(value)),
        ("identity", [path], value),
        ("absent", [path], None),
        ("present", [path], None),
        ("equals", [path], value if is_constant(value) else member),
        ("length", [path], size),
        ("dict_keys", [path], tuple(value if isinstance(value, dict) else {member: None})),
        ("set_contents", [path], value if type(value) in (set, frozenset) else {member}),
        ("contains", [path], member),
        ("lacks", [path], member),
        ("predicate", [path], draw(st.sampled_from([truth, len, abs, callable]))),
        *((kind, [path, *draw(others)], None) for kind in ("same", "distinct")),
    ]


def is_constant(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(is_constant, value))
    if type(value) in (int, bool, float, complex, str, bytes):
        return True
    return value is None or value is ...


def native_guard(kind: str, guarded: list[Path], argument: Any) -> Any:
    sources = [native_source(path) for path in guarded]
    if kind in ("same", "distinct"):
        return getattr(Guard, kind)(sources)
    if kind in ("absent", "present"):
        return getattr(Guard, kind)(sources[0])
    return getattr(Guard, kind)(sources[0], argument)


told: Counter[tuple[str, str, str]] = Counter()  # fact, source, what Python says


@exploring(900)
@given(data=st.data(), a=held(), b=held(), u=held(), v=held(), layout=st.integers(0, 5))
def guards_agree(data: Any, a: Any, b: Any, u: Any, v: Any, layout: int) -> None:
    function = layouts(u[0], v[0])[layout]
    known = {"a": a[1], "b": b[1], "u": u[1], "v": v[1], "k": v[1]}
    with drawn_names(u[0], v[0]):
        check_guards(data, function, a[0], b[0], paths_in(roots_of(function.__code__), known))


def check_guards(data: Any, function: Any, a: Any, b: Any, paths: Any) -> None:
    returned = function(a, b)
    eager = returned[0] if isinstance(returned, tuple) else returned
    rounds = data.draw(st.lists(facts(paths, eager), min_size=2, max_size=5))
    drawn = [each for some in rounds for each in some]
    guards = [native_guard(*each) for each in drawn]
    verdicts = [verdict(*each, eager) for each in drawn]
    for (kind, guarded, _), each in zip(drawn, verdicts, strict=True):
        told[kind, guarded[0][-1][0], each] += 1
    programs = [([guard], [each]) for guard, each in zip(guards, verdicts, strict=True)]
    # Several in one program share what they load, and the first that fails is the one told.
    some = data.draw(st.lists(st.integers(0, len(guards) - 1), min_size=4, max_size=12))
    holding = [i for i, each in enumerate(verdicts) if each == "holds"]
    # Type and identity of variables are what the hook compares without a lookup.
    plain = [i for i, each in enumerate(drawn) if each[0] in FACTS[:2] and len(each[1][0]) == 1]
    for chosen in (some, holding, holding + some, plain, [i for i in plain if i in holding]):
        programs.append(([guards[i] for i in chosen], [verdicts[i] for i in chosen]))
    compiled = [native.GuardProgram(function.__code__, each) for each, _ in programs]

    def look(frame: Any) -> Any:
        return [all_checks(program)(frame) for program in compiled]

    answers, _ = at_entry(function, look, a, b)
    for answer, (each, expected) in zip(answers, programs, strict=True):
        assert answer == [first_failure(expected)] * 2, [(g.source, g.expected) for g in each]
    native.enable()
    for each, expected in programs:
        entry = native.install(function.__code__, function.__code__, each)
        function(a, b)
        entry.remove()
        assert entry.hits == (first_failure(expected) is None), entry.guards
    native.disable()


# No class is a constant or container, no instance dict a constant, no dict a key.
IMPOSSIBLE = {(fact, "type") for fact in ("equals", "length", "dict_keys", "set_contents")}
IMPOSSIBLE |= {("contains", "type"), ("lacks", "type"), ("dict_keys", "dict_key")}
IMPOSSIBLE |= {("equals", "instance_dict"), ("set_contents", "instance_dict")}


def test_guards_agree_with_python() -> None:
    """Over 30,000 guards: facts accepted and refused through the kinds of source."""
    told.clear()
    guards_agree()
    if SCALE < 1:
        return
    assert sum(told.values()) > 30_000
    pairs = {(fact, source) for fact in FACTS for source in SOURCES}
    accepted = {(fact, source) for fact, source, why in told if why == "holds"}
    refused = {(fact, source) for fact, source, why in told if why != "holds"}
    # What is drawn differs between versions of Hypothesis, and rare pairs may be missed (seven of
    # 160 were, in the worst of the runs made).
    assert len(pairs - accepted - IMPOSSIBLE) <= 16, pairs - accepted - IMPOSSIBLE
    assert len(pairs - refused) <= 2, pairs - refused


@exploring(100)
@given(data=st.data(), a=held(), u=held())
def test_source_text_is_python(data: Any, a: Any, u: Any) -> None:
    """The text of a source, evaluated, yields what the source yields."""
    function = layouts(u[0], u[0])[0]
    eager = function(a[0], None)[0]
    known = {"a": a[1], "u": u[1], "v": u[1]}
    with drawn_names(u[0], u[0]):
        check_text(data.draw(paths_in(roots_of(function.__code__), known)), eager)


def check_text(path: Path, eager: dict[str, Any]) -> None:
    text = native_source(path).text
    try:
        wanted = resolve(path, eager)
    except (Nothing, Broken):
        return
    if any(kind == "instance_dict" for kind, _ in path[1:]):
        return  # __dict__ in text can be overridden; the source's cannot
    if resolve(path, eager) is not wanted:
        return  # a new object each time
    names = {**eager, "builtins": builtins}
    assert eval(text, layouts.__globals__, names) is wanted
