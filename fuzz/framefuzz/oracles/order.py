"""Order: every generated code object has CPython's natural order of variables.

A transformed code object must also keep the original's ``co_freevars`` (PyTorch PR 115062), and
a resume function's are the original's cells and free variables, sorted (PR 126630).
"""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.oracles.evidence import Evidence
from framefuzz.oracles.natural_order import misbuilt_closures, unnatural
from framefuzz.trace import CodeMade, Divergence

NAME = "order"


def judge(evidence: Evidence) -> Iterator[Divergence]:
    """The first code object that breaks a rule, for each rule broken."""
    seen: set[str] = set()
    for made in evidence.subject.codes:
        for divergence in _judge_code(made):
            if divergence.kind not in seen:
                seen.add(divergence.kind)
                yield divergence


def _judge_code(made: CodeMade) -> Iterator[Divergence]:
    original, transformed = made.original, made.made
    name = original.co_name
    role = "resume function" if made.resume else "transformed code"
    if original.co_freevars != transformed.co_freevars:
        yield _divergence(
            made,
            f"{name}.co_freevars",
            str(original.co_freevars),
            str(transformed.co_freevars),
            "co_freevars not kept",
            role,
        )
    # A resume function is itself an original: made by the compiler, never compiled by CPython.
    for code in (original, transformed) if made.resume else (transformed,):
        broken = unnatural(code)
        if broken:
            cells = broken.startswith("co_cellvars")
            variables = code.co_cellvars if cells else code.co_freevars
            yield _divergence(
                made,
                f"{name}.{'co_cellvars' if cells else 'co_freevars'}",
                str(tuple(sorted(variables))),
                str(variables),
                broken,
                role,
            )
    for names, target in misbuilt_closures(transformed):
        yield _divergence(
            made,
            f"{name}: closure of {target.co_name}",
            str(target.co_freevars),
            str(names),
            "closure out of order",
            role,
        )


def _divergence(
    made: CodeMade, path: str, eager: str, subject: str, kind: str, role: str
) -> Divergence:
    return Divergence(NAME, made.call, path, eager, subject, kind, facts=(role,))
