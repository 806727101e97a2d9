"""The fast, explaining and dict checks against the same guards evaluated in plain Python.

Hypothesis draws the function's layout, its arguments, the sources and the facts.
"""

from __future__ import annotations

import builtins
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from native_reference import (
    Broken,
    Nothing,
    Path,
    all_checks,
    attribute_names,
    exploring,
    first_failure,
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

roots = st.sampled_from(
    [("local", "a")] * 3
    + [("local", "b")] * 2
    + [("free", "u"), ("free", "v")]
    + [("global_", "NAN"), ("global_", "absent name"), ("builtin", "len"), ("builtin", "NAN")]
)
steps = st.one_of(
    st.tuples(st.just("attribute"), attribute_names),
    st.tuples(st.just("item"), keys),
    st.tuples(st.just("type"), st.none()),
    st.tuples(st.just("instance_dict"), st.none()),
    st.tuples(st.sampled_from(["dict_key", "closure", "default"]), st.integers(0, 2)),
    st.tuples(st.just("keyword_default"), st.sampled_from(["q", "z"])),
)
paths = st.tuples(roots, st.lists(steps, max_size=3)).map(lambda p: (p[0], *p[1]))


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


@st.composite
def facts(draw: st.DrawFn, frame_locals: dict[str, Any]) -> tuple[str, list[Path], Any]:
    """A guard that holds about as often as not: mostly made from what the source yields."""
    path = draw(paths)
    try:
        value = resolve(path, frame_locals)
    except (Nothing, Broken):
        value = draw(values)
    if not draw(st.integers(0, 3)):
        value = draw(values)
    kinds = ["type", "identity", "absent", "present", "contains", "lacks", "predicate"]
    kinds += ["same", "distinct", "length"]
    if is_constant(value):
        kinds += ["equals"] * 4
    if isinstance(value, dict):
        kinds += ["dict_keys"] * 4
    if type(value) in (set, frozenset):
        kinds += ["set_contents"] * 4
    kind = draw(st.sampled_from(kinds))
    if kind in ("same", "distinct"):
        return kind, [path, *draw(st.lists(paths, min_size=1, max_size=3))], None
    argument: Any = None
    if kind == "type":
        argument = type(value)
    elif kind in ("identity", "equals", "set_contents"):
        argument = value
    elif kind == "length":
        argument = draw(st.integers(0, 3))
    elif kind == "dict_keys":
        argument = tuple(value)
    elif kind in ("contains", "lacks"):
        argument = draw(st.one_of(keys, scalars))
    elif kind == "predicate":
        argument = draw(st.sampled_from([truth, len, abs, callable]))
    return kind, [path], argument


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


@exploring(250)
@given(data=st.data(), a=values, b=values, u=values, v=values, layout=st.integers(0, 5))
def test_guards_agree_with_python(data: Any, a: Any, b: Any, u: Any, v: Any, layout: int) -> None:
    """Each of some guards alone, then all of them as one program: over 2,000 in all."""
    function = layouts(u, v)[layout]
    returned = function(a, b)
    eager = returned[0] if isinstance(returned, tuple) else returned
    drawn = data.draw(st.lists(facts(eager), min_size=4, max_size=12))
    guards = [native_guard(*each) for each in drawn]
    verdicts = [verdict(*each, eager) for each in drawn]
    programs = [([guard], [told]) for guard, told in zip(guards, verdicts, strict=True)]
    programs.append((guards, verdicts))
    compiled = [native.GuardProgram(function.__code__, each) for each, _ in programs]

    def look(frame: Any) -> Any:
        return [all_checks(program)(frame) for program in compiled]

    answers, _ = at_entry(function, look, a, b)
    for answer, (each, told) in zip(answers, programs, strict=True):
        assert answer == [first_failure(told)] * 2, [(g.source, g.expected) for g in each]


@exploring(100)
@given(a=values, b=values, path=paths)
def test_source_text_is_python(a: Any, b: Any, path: Path) -> None:
    """The text of a source, evaluated, yields what the source yields."""
    function = layouts(a, b)[0]
    eager = function(a, b)[0]
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
