"""Resume functions: the rest of a function after a graph break, as a function of its own.

Its arguments are what was on the stack and the locals that were bound; its free variables are the
original's cells and free variables, sorted as CPython's compiler sorts them (PyTorch PR 126630).
Its body is the original's, from the place after the break; what comes first puts the stack back.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from bytecode import Bytecode, CompilerFlags, Instr, Label

from framejit import _native as native
from framejit.decode import PROLOGUE, ByIdentity, Decoded, copied, decode
from framejit.faults import planted

STACK = "___stack{}"


@dataclass(frozen=True)
class Point:
    """Where a function resumes.

    ``stack`` has ``v`` a value, ``n`` a NULL, ``e`` an exception that is handled, ``p`` what was
    handled before one that is no longer on the stack itself.
    """

    place: int
    stack: str
    locals: tuple[str, ...]


@dataclass(frozen=True)
class Resume:
    """A resume function's code, and what place of the original each of its places is."""

    original: CodeType
    code: CodeType
    point: Point
    places: tuple[int, ...]
    start: int

    def place_in_original(self, place: int) -> int | None:
        """The original's place, None for the part that puts the stack back."""
        return self.places[place - self.start] if place >= self.start else None


class Resumes:
    """All resume functions made, by code object."""

    def __init__(self) -> None:
        self._by_point: dict[tuple[ByIdentity, Point], Resume] = {}
        self._by_code: dict[ByIdentity, Resume] = {}

    def of(self, code: CodeType) -> Resume | None:
        """What a code object resumes, None if it is no resume function."""
        return self._by_code.get(ByIdentity(code))

    def make(self, code: CodeType, point: Point) -> Resume:
        """The resume function for a point of a code object, made once."""
        inner = self.of(code)
        if inner is not None:
            place = inner.place_in_original(point.place)
            assert place is not None
            code, point = inner.original, Point(place, point.stack, point.locals)
        key = ByIdentity(code), point
        made = self._by_point.get(key)
        if made is None:
            made = self._by_point[key] = _make(decode(code), point)
            self._by_code[ByIdentity(made.code)] = made
        return made

    def clear(self) -> None:
        """Forget all."""
        self._by_point.clear()
        self._by_code.clear()


class Rest(tuple[Any, ...]):
    """What a resume function returns where it breaks again: the next one, and its arguments."""

    __slots__ = ()


# Of this function and of the resume function: under eager there is one frame.
_OWN_CALLS = 2


def run_rest(rest: tuple[FunctionType, list[Any]]) -> Any:
    """What a frame returns whose rest is this resume function, called with these arguments.

    The resume functions of a frame are called from here one after the other, not one from the
    other: a loop with a break in it does not nest.  Nobody else keeps the arguments: they die
    where the program lets go of them.
    """
    while True:
        resume, arguments = rest
        result = native.hand_over(resume, arguments, _OWN_CALLS)
        if type(result) is not Rest:
            return result
        rest = result


native.skip(run_rest.__code__, "framejit's own")


def free_variables(code: CodeType) -> tuple[str, ...]:
    """A resume function's free variables, in CPython's order (Python/compile.c, dictbytype)."""
    if planted("resume free variables unsorted"):
        return (*code.co_freevars, *code.co_cellvars)
    if planted("cells before free variables"):
        return (*code.co_cellvars, *code.co_freevars)
    return tuple(sorted({*code.co_cellvars, *code.co_freevars}))


def _make(decoded: Decoded, point: Point) -> Resume:
    code = decoded.code
    freevars = free_variables(code)
    stack_names = [STACK.format(i) for i, kind in enumerate(point.stack) if kind != "n"]
    made = Bytecode()
    line = decoded.instructions[point.place].line or code.co_firstlineno
    made.name = f"resume_in_{code.co_name}_at_{line}"
    made.qualname = code.co_qualname.rpartition(".")[0]
    made.qualname += ("." if made.qualname else "") + made.name
    made.filename = code.co_filename
    made.first_lineno = code.co_firstlineno
    made.docstring = None
    # First the locals: super() without arguments takes the first one.
    made.argnames = [*point.locals, *stack_names]
    made.argcount = len(made.argnames)
    made.freevars = list(freevars)
    made.flags = CompilerFlags(code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
    places = decoded.reachable([point.place])
    labels = {point.place: Label()}
    body = copied(decoded, places, labels, cells_are_free=True)
    if freevars:
        made.append(Instr("COPY_FREE_VARS", len(freevars), lineno=code.co_firstlineno))
    made.append(Instr("RESUME", 0, lineno=code.co_firstlineno))
    for i, kind in enumerate(point.stack):
        if kind == "n":
            made.append(Instr("PUSH_NULL", lineno=line))
        else:
            made.append(Instr("LOAD_FAST", STACK.format(i), lineno=line))
            if kind in "ep":
                made.append(Instr("PUSH_EXC_INFO", lineno=line))
            if kind == "p":
                made.append(Instr("POP_TOP", lineno=line))
    made.extend(Instr("DELETE_FAST", name, lineno=line) for name in stack_names)
    made.append(Instr("JUMP_FORWARD", labels[point.place], lineno=line))
    start = sum(isinstance(item, Instr) for item in made)
    made.extend(body)
    kept = tuple(
        place
        for place in places
        if decoded.instructions[place].name not in PROLOGUE
        and decoded.instructions[place].name != "RESUME"
    )
    # What stands before the body pushes no more than the stack, and two while it pushes the last.
    size = code.co_stacksize + len(point.stack) + 2
    return Resume(code, assembled(made, code, size), point, kept, start)


def assembled(made: Bytecode, original: CodeType, size: int | None = None) -> CodeType:
    """The code object; keeps no constant of the original as a docstring.

    ``size`` is the stack that it needs, if that is known: where all ways through a try raise, the
    library cannot tell.
    """
    flags = int(made.flags)
    if made.freevars or made.cellvars:
        flags &= ~inspect.CO_NOFREE
    made.flags = CompilerFlags(flags)
    code = made.to_code(stacksize=size, compute_exception_stack_depths=False)
    # In nested handlers the library finds less than is needed; what was copied needs no more.
    return code.replace(co_stacksize=max(code.co_stacksize, original.co_stacksize))
