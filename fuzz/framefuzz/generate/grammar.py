"""How a program is put together: an opening, statements until the budget is spent, a return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from framefuzz.case import Case
from framefuzz.generate import features as _registered  # noqa: F401 - fills the register
from framefuzz.generate.calls import Calls
from framefuzz.generate.chooser import Chooser
from framefuzz.generate.layout import function_freevars, make_text, module_text
from framefuzz.generate.program import Program, atom
from framefuzz.generate.registry import FEATURES, Feature
from framefuzz.generate.values import NAMES

_FEWEST_LINES = 10
_TITLE_WIDTH = 88
_TITLE_ORDER = ("statement", "condition", "text", "number", "tensor", "change", "break")
_MOST_RETURNED = 4


@dataclass(frozen=True)
class Generated:
    """A generated case and the names of the features in it, in the order of first use."""

    case: Case
    features: tuple[str, ...]


def write_case(chooser: Chooser, name: str, wanted: Sequence[str] = ()) -> Generated:
    """Write one program and its calls.

    The features named in ``wanted`` are written first.  Raises ValueError for an unknown name.
    """
    unknown = [feature for feature in wanted if feature not in FEATURES]
    if unknown:
        raise ValueError(f"no feature is named {unknown[0]!r}; see framefuzz features")
    program = Program(chooser)
    _write_body(program, [FEATURES[feature] for feature in wanted])
    make = make_text(program)
    calls = Calls(program, function_freevars(make, program.top.name))
    calls.write([FEATURES[feature] for feature in wanted if FEATURES[feature].kind == "change"])
    title = _title(list(program.used))
    source = module_text(program, title, make, calls)
    case = Case(name, source, f"generated/{name}.py")
    return Generated(case, tuple(feature.name for feature in program.used))


def _write_body(program: Program, wanted: list[Feature]) -> None:
    budget = _FEWEST_LINES + program.chooser.choose(5)
    _open(program)
    for feature in wanted:
        _host(program, feature)
    while program.lines < budget:
        if not program.breaks and program.lines * 3 >= budget * 2:
            program.breaking()
        else:
            program.statement(max(1, budget - program.lines + 2))
    _return(program)


def _open(program: Program) -> None:
    """Begin with a tensor operation, so that there is something to compile in every call."""
    if program.chooser.chance(2):
        start = f"{program.current} * {atom(program.simple_number())}"
        program.top.current = program.bind("wide", start)
    else:
        program.update(f"{program.current} + {atom(program.simple_number())}")


def _host(program: Program, feature: Feature) -> None:
    """Write a wanted feature, an expression in the plainest statement that shows its value."""
    if feature.kind in ("statement", "break"):
        program.run(feature)
    elif feature.kind == "change":
        _read_target(program, feature.on)
    else:
        text = program.run(feature)
        if feature.kind in ("number", "tensor"):
            program.update(f"{program.current} + {atom(text)}")
        elif feature.kind == "condition":
            with program.block(f"if {text}:"):
                program.update(f"{program.current} + 1")
        else:
            program.bind("text", text, returned=True)


def _read_target(program: Program, on: str) -> None:
    """Have the function under test read something that a change of this kind can reach."""
    makers = [f for f in FEATURES.values() if on in f.provides]
    if makers:
        _host(program, program.chooser.pick(makers))
        return
    kind = next(kind for kind in NAMES if kind == on)
    variable = program.captured(kind, owner=program.make)
    program.update(f"{program.current} + {program.as_number(variable)}")


def _return(program: Program) -> None:
    """Return the tensor and what the statements marked as worth returning."""
    extra = [v.name for v in program.top.visible if v.returned][: _MOST_RETURNED - 1]
    if not extra and program.chooser.chance(2):
        extra = [program.simple_number()]
    program.line(f"return {', '.join([program.current, *extra])}")


def _title(used: list[Feature]) -> str:
    """Name the rarest features, statements first, as many as fit on a line."""
    title = ""
    for feature in sorted(used, key=lambda f: (_TITLE_ORDER.index(f.kind), f.weight)):
        doc = feature.doc
        longer = f"{title}; {doc[:1].lower()}{doc[1:]}" if title else doc
        if len(longer) <= _TITLE_WIDTH:
            title = longer
    return f"{title}."
