"""A code object as a list of instructions that can be stepped through, and copied in parts.

Decoding and assembling are the ``bytecode`` library's.  What is added here: jump targets as places
in the list, and the exception handler of each instruction with the depth at which it catches.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from bytecode import Bytecode, ConcreteBytecode, Instr, Label
from bytecode.instr import CellVar, FreeVar, TryBegin, TryEnd

from framejit.faults import planted

# At the start of a function: what makes its frame, which a copy of the body must not repeat.
PROLOGUE = frozenset({"COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR"})

_NO_FALLTHROUGH = frozenset(
    {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"}
    | {"JUMP_BACKWARD_NO_INTERRUPT"}
)


@dataclass(frozen=True)
class Handler:
    """Where an exception goes: a place, the stack's depth there, whether the instruction's too."""

    target: int
    depth: int
    push_lasti: bool


@dataclass(frozen=True)
class Instruction:
    """One instruction, caches left out.

    ``argument`` is what the ``bytecode`` library makes of it: a name, a constant, a cell; for a
    jump it is None, and ``target`` the place of the instruction that it leads to.
    """

    name: str
    argument: Any
    target: int | None
    handler: Handler | None
    line: int | None
    instr: Instr


class Decoded:
    """The instructions of a code object."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        concrete = ConcreteBytecode.from_code(code)
        self.bytecode: Bytecode = concrete.to_bytecode()
        self.instructions = self._instructions([e.stack_depth for e in concrete.exception_table])

    def _instructions(self, depths: list[int]) -> list[Instruction]:
        places: dict[Label, int] = {}
        found: list[tuple[Instr, TryBegin | None]] = []
        block: TryBegin | None = None
        depth_of: dict[TryBegin, int] = {}
        for item in self.bytecode:
            if isinstance(item, Label):
                places[item] = len(found)
            elif isinstance(item, TryBegin):
                block = item
                depth_of[item] = depths[len(depth_of)]
            elif isinstance(item, TryEnd):
                block = None
            elif isinstance(item, Instr):
                found.append((item, block))
        handlers = {
            begin: Handler(places[begin.target], depth, begin.push_lasti)
            for begin, depth in depth_of.items()
        }
        return [
            Instruction(
                instr.name,
                None if isinstance(instr.arg, Label) else instr.arg,
                places[instr.arg] if isinstance(instr.arg, Label) else None,
                handlers[block] if block is not None else None,
                instr.lineno,
                instr,
            )
            for instr, block in found
        ]

    def unit_start(self, place: int) -> int:
        """The first of the instructions that make one call: KW_NAMES, PRECALL, CALL."""
        while place and self.instructions[place - 1].name in ("PRECALL", "KW_NAMES"):
            place -= 1
        return place

    def reachable(self, starts: Iterable[int]) -> list[int]:
        """The places that control can come to from some places, in order."""
        seen: set[int] = set()
        todo = list(starts)
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen.add(place)
            instruction = self.instructions[place]
            if instruction.target is not None:
                todo.append(instruction.target)
            if instruction.handler is not None:
                todo.append(instruction.handler.target)
            if instruction.name not in _NO_FALLTHROUGH:
                todo.append(place + 1)
        return sorted(seen)


class ByIdentity:
    """A code object as a key: of one text in two files CPython makes two that are equal."""

    __slots__ = ("code",)

    def __init__(self, code: CodeType) -> None:
        self.code = code

    def __hash__(self) -> int:
        return id(self.code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.code is other.code


def decode(code: CodeType) -> Decoded:
    """The instructions of a code object; remembered, since callees are stepped through often."""
    return _decode(ByIdentity(code))


@functools.lru_cache(maxsize=512)
def _decode(key: ByIdentity) -> Decoded:
    return Decoded(key.code)


def forget() -> None:
    """Forget what was decoded."""
    _decode.cache_clear()


def copied(
    decoded: Decoded, places: list[int], labels: dict[int, Label], *, cells_are_free: bool = False
) -> list[Instr | Label | TryBegin | TryEnd]:
    """A copy of the instructions at some places, with their exception handlers.

    ``labels`` gets a label for each place that something leads to, and may hold some before.  With
    ``cells_are_free`` the copy is for a function to which the cells come from outside.
    """
    chosen = set(places)
    for place in places:
        instruction = decoded.instructions[place]
        if instruction.target is not None:
            labels.setdefault(instruction.target, Label())
        if instruction.handler is not None:
            labels.setdefault(instruction.handler.target, Label())
    made: list[Instr | Label | TryBegin | TryEnd] = []
    begun: tuple[Handler, TryBegin] | None = None
    for place in places:
        instruction = decoded.instructions[place]
        if instruction.name in PROLOGUE or instruction.name == "RESUME":
            if place in labels:
                made.append(labels[place])
            continue
        handler = None if planted("handlers not copied") else instruction.handler
        if begun is not None and (handler is not begun[0] or place - 1 not in chosen):
            made.append(TryEnd(begun[1]))
            begun = None
        if place in labels:
            made.append(labels[place])
        if handler is not None and begun is None:
            begin = TryBegin(labels[handler.target], handler.push_lasti, handler.depth)
            if planted("handler keeps a value too many"):
                begin.stack_depth = handler.depth + 1
            if planted("handler pops the iterator") and handler.depth:
                begin.stack_depth = handler.depth - 1
            begun = (handler, begin)
            made.append(begin)
        made.append(_copy(instruction, labels, cells_are_free))
    if begun is not None:
        made.append(TryEnd(begun[1]))
    return made


def _copy(instruction: Instruction, labels: dict[int, Label], cells_are_free: bool) -> Instr:
    instr = instruction.instr
    if instruction.target is not None:
        return Instr(instr.name, labels[instruction.target], location=instr.location)
    if cells_are_free and isinstance(instr.arg, (CellVar, FreeVar)):
        return Instr(instr.name, FreeVar(instr.arg.name), location=instr.location)
    return instr
