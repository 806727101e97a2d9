"""Writes ``repro.py``: one case as a script that needs nothing but torch.

The script holds the program and its calls as they are, and below them a harness fitted to the
oracle that objects.  It executes itself twice, each time as a fresh module: the program so stands
there as plain code, with source lines for whoever asks for them, and yet each side has its own
code objects and globals.  (Two closures made by one ``make`` would share code objects, so what
the compiler caches on them, and everything at module level.)  Eager runs first and to the end.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2

from framefuzz.case import Case
from framefuzz.subjects.protocol import InScript
from framefuzz.trace import Divergence
from framefuzz.triage import paths
from framefuzz.triage.excerpt import OPTIONAL, excerpt
from framefuzz.triage.finding import FindingRecord
from framefuzz.triage.shown import shown

# Seconds after which a compiled program that eager runs at once is taken to hang.
HANG = 60

# The template, the optional names of the case that it uses, what the template needs to know.
Fit = tuple[str, set[str], dict[str, Any]]

_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=jinja2.StrictUndefined,
    autoescape=False,
)
# What a side starts from, where the program can have changed it or depend on it
# (framefuzz.subjects.isolation).
_CLEAN = (
    (r"rand|rng|dropout|bernoulli|multinomial|normal_?\(|shuffle", "torch.manual_seed(0)"),
    (r"\brandom\b", "random.seed(0)"),
    (r"grad_enabled|no_grad|enable_grad|inference_mode", "torch.set_grad_enabled(True)"),
    (r"set_default_dtype", "torch.set_default_dtype(torch.float32)"),
    (r"set_default_device", "torch.set_default_device(None)"),
    (r"use_deterministic", "torch.use_deterministic_algorithms(False)"),
    (r"weakref|__del__|finalize", "gc.disable()"),
)
_MODULES = re.compile(
    r"\b(collections|dis|gc|inspect|io|platform|random|resource|subprocess|sys|types"
    r"|weakref)\."
)
# Kinds of values that a description need know of only in a program with such a mark.
_KINDS = {
    "deque": r"deque",
    "set": r"\bset\(|frozenset|\{[^:{}]+\}",
    "iterator": r"\b(iter|zip|map|filter|enumerate|reversed)\(|itertools|yield|\bfor\b.*\)",
    "generator": r"yield|\bfor\b.*\)",
    "weakref": r"weakref",
}
_NO_WARNING = (
    "import warnings",
    'warnings.filterwarnings("ignore", "Failed to initialize NumPy")',
)
# Exceptions that ``except Exception`` lets pass.
_UNCAUGHT = {"SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException"}
_LONGEST_LINE = 100


def render(case: Case, record: FindingRecord, in_script: InScript | None) -> str:
    """The text of a standalone script that shows the divergence.

    Raises ValueError without knowledge of how a script uses the subject.
    """
    if in_script is None:
        raise ValueError(f"it is not known how a script uses {record.subject}")
    template, needed, particular = _FITS[record.lead.oracle](case, record)
    if template == _BY_HAND and in_script.ask:
        template = _ASKED
    program = excerpt(case.source, needed | {"CONFIG", "KW"})
    defined = _bound_names(program)
    seen_at = " ".join(divergence.path for divergence in record.divergences)
    facts = {fact for divergence in record.divergences for fact in divergence.facts}
    context = {
        "head": _head(case, record),
        "program": _without_numpys_warning(program),
        "clean": [line for pattern, line in _CLEAN if re.search(pattern, program + seen_at)],
        "has_config": "CONFIG" in defined,
        "compiler": _compiler(in_script, record.backend, "KW" in defined),
        "ask": in_script.ask,
        "forget": in_script.forget,
        "watch": in_script.watch,
        "call": record.lead.call,
        "kind": record.lead.kind,
        "caught": "BaseException" if _UNCAUGHT & facts else "Exception",
        **particular,
    }
    shape = _TEMPLATES.get_template(template)
    harness = shape.render({**context, "program": "", "head": "", "imports": []})
    used = {name.partition(".")[0] for name in in_script.names if name and name in harness}
    imports = {*_MODULES.findall(harness), *({"torch", *used} - defined)}
    return shape.render({**context, "imports": sorted(imports)}).rstrip() + "\n"


def _without_numpys_warning(program: str) -> str:
    """The program after lines that keep torch from warning, on import, that NumPy is missing."""
    # Only a future import may stand before them.
    first = next(
        statement
        for statement in ast.parse(program).body
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    )
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    start = min([first.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    lines = program.split("\n")
    return "\n".join((*lines[:start], *_NO_WARNING, *lines[start:]))


def _compiler(in_script: InScript, backend: str, has_keywords: bool) -> str:
    """An expression for the compiled ``fn``."""
    if has_keywords and in_script.takes_keywords:
        return f'{in_script.compile}(fn, **{{"backend": "{backend}", **program.KW}})'
    return f'{in_script.compile}(fn, backend="{backend}")'


def _fit_behaviour(case: Case, record: FindingRecord) -> Fit:
    """Look at the value that differs, after the call that differs."""
    seen = next(d for d in record.divergences if d.oracle == "behaviour")
    section, edges = paths.parse(seen.path)
    if section == "calls":
        return "calls.py.j2", set(), {}
    variables = _bound_names(case.source) - OPTIONAL
    made = _made(case.source)
    needed = {"observe"} if section == "observed" else set()
    needed |= variables.intersection(edge.text for edge in edges)
    if seen.path == "globals":
        needed |= variables
    view = shown(seen, case.source, sorted(variables))
    # Kernels that a backend generates may round differently (tolerance "inexact-bits").
    tolerant = bool(view.tensor) and record.backend != "eager"
    expression = "out" if view.raised else view.tensor if tolerant else view.text
    particular = {
        "helpers": view.helpers,
        "kinds": {kind for kind, mark in _KINDS.items() if re.search(mark, made)},
        "raised": view.raised,
        "expression": expression,
        "uses_out": re.search(r"\bout\b", expression) is not None,
        "may_wrap": view.raised and _may_wrap(seen),
        "captured": section == "stdout",
        "tolerant": tolerant,
        "fresh": record.lead.oracle == "guards",
    }
    return "behaviour.py.j2", needed, particular


def _may_wrap(seen: Divergence) -> bool:
    """Whether a TorchRuntimeError in place of what was raised would be no difference."""
    # A finding of which it would be comes from a raise statement of the program's.
    return seen.facts[:1] == ("RuntimeError",) and "TorchRuntimeError" not in seen.facts


def _fit_survival(case: Case, record: FindingRecord) -> Fit:
    """An exception of the compiler's own is an outcome of a call; a death takes a process."""
    if record.lead.path == "process":
        return "process.py.j2", set(), {"seconds": HANG}
    return _fit_behaviour(case, record)


def _fit_recompile(case: Case, record: FindingRecord) -> Fit:
    needed = {"STEADY"} if record.lead.kind == "after STEADY" else set()
    return "recompile.py.j2", needed, {"expected": record.lead.eager}


# Two answers of a cache entry: looked up in Dynamo's, or asked of a compiler that can be asked.
_BY_HAND, _ASKED = "inconsistent.py.j2", "inconsistent_asked.py.j2"
_FITS: dict[str, Callable[[Case, FindingRecord], Fit]] = {
    "behaviour": _fit_behaviour,
    "guards": _fit_behaviour,
    "survival": _fit_survival,
    "order": lambda case, record: ("order.py.j2", set(), {}),
    "recompile": _fit_recompile,
    "inconsistent": lambda case, record: (_BY_HAND, set(), {}),
}


def _head(case: Case, record: FindingRecord) -> str:
    """A docstring that says what the script shows."""
    lines = [case.title or f"Program {record.case}.", ""]
    for found in record.divergences:
        where = f"call {found.call}, {found.path}" if found.call >= 0 else found.path
        lines.append(f"{found.oracle}: {where}: {found.kind}")
        lines += [f"    eager:    {found.eager}", f"    compiled: {found.subject}"]
        lines += [f"    {other}: {stands}" for other, stands in found.others.items()]
        if found.note:
            lines.append(f"    {found.note}")
    found_with = f"torch {record.versions['torch']}, Python {record.versions['python']}"
    lines += ["", f"Found by framefuzz with {found_with}; exits 1 while it is there, else 0."]
    text = "\n".join(map(_one_line, lines)).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""'


def _one_line(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 3] + "..."


def _made(source: str) -> str:
    """The source without ``calls``, whose generator no program sees."""
    lines = source.split("\n")
    return "\n".join(
        "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        for statement in ast.parse(source).body
        if not (isinstance(statement, ast.FunctionDef) and statement.name == "calls")
    )


def _bound_names(source: str) -> set[str]:
    """The names that top-level imports and plain assignments bind."""
    names: set[str] = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in statement.names}
        elif isinstance(statement, ast.Assign):
            names |= {t.id for t in statement.targets if isinstance(t, ast.Name)}
    return names
