"""Whether code objects that framejit made are sound."""

from __future__ import annotations

import dis
import itertools
from collections.abc import Iterable
from types import CodeType

from framejit import Compiled

_RAISING = ("CALL", "LOAD_GLOBAL", "LOAD_ATTR", "BINARY_OP", "BINARY_SUBSCR", "RAISE_VARARGS")
_ENDS = ("RETURN_VALUE", "RERAISE", "RAISE_VARARGS", "JUMP_FORWARD", "JUMP_BACKWARD")


def handlers_of(code: CodeType) -> list[tuple[int, int, int, int, bool]]:
    """The exception table: start, end (exclusive), target, depth, and whether lasti is pushed."""
    return [
        (entry.start, entry.end, entry.target, entry.depth, entry.lasti)
        for entry in dis._parse_exception_table(code)  # type: ignore[attr-defined]
    ]


def depths_of(code: CodeType) -> dict[int, int]:
    """The depth of the stack before each instruction that control reaches.

    Raises AssertionError where two ways to an instruction differ, or a stack runs empty.
    """
    instructions = {i.offset: i for i in dis.get_instructions(code, show_caches=False)}
    order = sorted(instructions)
    after = dict(itertools.pairwise(order))
    depths: dict[int, int] = {}
    todo = [(0, 0)]
    for start, _, target, depth, lasti in handlers_of(code):
        assert start in instructions
        todo.append((target, depth + 1 + lasti))
    while todo:
        offset, depth = todo.pop()
        assert depth >= 0, (code.co_name, offset)
        if offset in depths:
            # A handler may be reached with more below than it looks at.
            assert depths[offset] == depth, (code.co_name, offset, depths[offset], depth)
            continue
        depths[offset] = depth
        instruction = instructions[offset]
        argument = instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None
        for jump in (True, False):
            goes = jump and instruction.opcode in {*dis.hasjrel, *dis.hasjabs}
            if goes:
                effect = dis.stack_effect(instruction.opcode, argument, jump=True)
                todo.append((instruction.argval, depth + effect))
            elif not jump and instruction.opname not in _ENDS:
                effect = dis.stack_effect(instruction.opcode, argument, jump=False)
                todo.append((after[offset], depth + effect))
    return depths


def verify(code: CodeType) -> None:
    """Check jumps, exception table, stack depth and lines of a code object."""
    instructions = list(dis.get_instructions(code))
    starts = {instruction.offset for instruction in instructions}
    size = len(code.co_code)
    for instruction in instructions:
        if instruction.opcode in {*dis.hasjrel, *dis.hasjabs}:
            assert instruction.argval in starts, (code.co_name, instruction)
    for start, end, target, depth, _ in handlers_of(code):
        assert 0 <= start < end <= size
        assert {start, target} <= starts
        assert depth >= 0
    depths = depths_of(code)
    deepest = max(
        depth + max(0, dis.stack_effect(i.opcode, i.arg if i.opcode >= dis.HAVE_ARGUMENT else None))
        for i in instructions
        if (depth := depths.get(i.offset)) is not None
    )
    assert deepest <= code.co_stacksize, (code.co_name, deepest, code.co_stacksize)
    for start, end, _, depth, _ in handlers_of(code):
        for offset in range(start, end, 2):
            # What a handler keeps has to be there.
            assert depths.get(offset, depth) >= depth, (code.co_name, offset)
    positions = list(code.co_positions())
    for instruction in instructions:
        if instruction.opname in _RAISING and instruction.offset in depths:
            # What CPython adds at a function's start and in handlers has no lines either.
            assert positions[instruction.offset // 2][0] is not None, (code.co_name, instruction)


def verify_made(events: Iterable[Compiled]) -> None:
    """Check all code objects that were made, and that their variables are as they should be."""
    roots: dict[CodeType, CodeType] = {}
    for event in events:
        original, made = event.code, event.made
        verify(made)
        assert made.co_freevars == original.co_freevars
        assert made.co_cellvars == original.co_cellvars
        assert made.co_argcount == original.co_argcount
        assert made.co_kwonlyargcount == original.co_kwonlyargcount
        assert made.co_posonlyargcount == original.co_posonlyargcount
        root = roots.get(original, original)
        for resume in event.resumes:
            roots[resume] = root
            verify(resume)
            names = {*root.co_cellvars, *root.co_freevars}
            assert resume.co_freevars == tuple(sorted(names))
            assert resume.co_cellvars == ()
        for code in (made, *event.resumes):
            assert code.co_filename == original.co_filename
            assert code.co_firstlineno == original.co_firstlineno
