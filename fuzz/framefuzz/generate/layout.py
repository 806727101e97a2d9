"""The layout of a case's text: definitions in the order and spacing in which people write them."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING

from framefuzz.generate.program import Program, State

if TYPE_CHECKING:
    from framefuzz.generate.calls import Calls

_JOINABLE = ("int", "float", "number", "text")


def make_text(program: Program) -> str:
    """The text of make(): the captured state, helper functions, the function under test."""
    lines = _declarations(program.state)
    top = program.top
    signature = [v.name for v in top.parameters]
    if program.defaulted:
        signature.append(f"{program.defaulted.variable.name}={program.defaulted.value}")
    top.signature = ", ".join(signature)
    for function in [*program.make_functions, top.text()]:
        lines += ["", *function, ""]
    lines += [*program.make_tail, f"return {top.name}"]
    return "\n".join(["def make():", *("    " + line if line else "" for line in _spaced(lines))])


def module_text(program: Program, title: str, make: str, calls: Calls) -> str:
    """The whole module."""
    imports = "\n".join(f"import {name}" for name in sorted(program.imports))
    head = f'"""{title}"""\n\n' + (f"{imports}\n\n" if imports else "") + "import torch"
    constants = "\n".join(f"{s.variable.name} = {s.value}" for s in program.module_state)
    blocks = [*program.module_blocks, make, calls.text()]
    if program.observed:
        blocks.append(f"def observe(fn):\n    return {', '.join(program.observed)}")
    if constants:
        head += f"\n\n{constants}"
    return "\n\n\n".join([head, *blocks]) + "\n"


def function_freevars(make: str, name: str) -> tuple[str, ...]:
    """The free variables of the function of this name in make(), in CPython's own order."""
    module = compile(make, "<make>", "exec", dont_inherit=True)
    (outer,) = (c for c in module.co_consts if isinstance(c, types.CodeType))
    for constant in outer.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant.co_freevars
    raise AssertionError(f"make() defines no {name}")


def _declarations(states: Sequence[State]) -> list[str]:
    """The captured state, never in sorted order where the order is free, plain pairs joined."""
    free = [s for s in states if not s.fixed]
    names = [s.variable.name for s in free]
    if len(names) > 1 and names == sorted(names):
        free.append(free.pop(0))
    lines: list[str] = []
    while free:
        first = free.pop(0)
        if free and first.variable.kind in _JOINABLE and free[0].variable.kind in _JOINABLE:
            second = free.pop(0)
            names_text = f"{first.variable.name}, {second.variable.name}"
            lines.append(f"{names_text} = {first.value}, {second.value}")
        else:
            lines.append(f"{first.variable.name} = {first.value}")
    return lines + [f"{s.variable.name} = {s.value}" for s in states if s.fixed]


def _spaced(lines: Sequence[str]) -> list[str]:
    """The lines with blank ones only between statements: none doubled, none opening a block."""
    spaced: list[str] = []
    for line in lines:
        opening = not spaced or not spaced[-1] or spaced[-1].endswith(":")
        if line or not opening:
            spaced.append(line)
    return spaced
