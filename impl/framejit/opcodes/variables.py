"""Instructions that move values between variables and the stack."""

from __future__ import annotations

from framejit.decode import Instruction
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.stops import Break
from framejit.values import NULL, Cell, Const, Tuple, Value


def nothing(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    """Has no effect on symbolic values."""


def load_const(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(const(instruction.argument))


def const(value: object) -> Value:
    """A constant of a code object."""
    if type(value) is tuple:
        return Tuple([const(item) for item in value])
    if type(value) is frozenset:
        from framejit.values import Set

        return Set(set(value), frozenset)
    return Const(value)


def push_null(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(NULL)


def pop_top(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.pop()


def copy(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(frame.stack[-instruction.argument])


def swap(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    stack, depth = frame.stack, instruction.argument
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


def load_fast(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.locals.get(instruction.argument)
    if value is None:
        raise Break(f"local {instruction.argument!r} that is not bound")
    frame.push(value)


def store_fast(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.locals[instruction.argument] = frame.pop()


def delete_fast(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    if instruction.argument not in frame.locals:
        raise Break(f"local {instruction.argument!r} that is not bound")
    del frame.locals[instruction.argument]


def make_cell(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    name = instruction.argument.name
    if name in frame.cells:
        return
    cell = Cell(frame.locals.pop(name, None), name if frame.is_root else None)
    frame.cells[name] = evaluator.born(cell)


def load_deref(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    name = instruction.argument.name
    content = frame.cells[name].content
    if content is None:
        raise Break(f"variable {name!r} whose cell is empty")
    frame.push(content)


def store_deref(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    evaluator.trace.touch()
    evaluator.trace.effects.set_cell(frame.cells[instruction.argument.name], value)


def delete_deref(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    name = instruction.argument.name
    cell = frame.cells[name]
    if cell.content is None:
        raise Break(f"variable {name!r} whose cell is empty")
    evaluator.trace.touch()
    evaluator.trace.effects.set_cell(cell, None)


def load_closure(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(frame.cells[instruction.argument.name])


def load_global(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    push_null_first, name = instruction.argument
    value = evaluator.trace.load_global(name, frame.globals, frame.globals_origin)
    if push_null_first:
        frame.push(NULL)
    frame.push(value)


def store_global(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    _set_global(evaluator, frame, instruction.argument, value)


def delete_global(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    name = instruction.argument
    evaluator.look(evaluator.trace.load_global(name, frame.globals, frame.globals_origin))
    if name not in frame.globals:
        raise Break("global that the trace itself made is deleted")
    _set_global(evaluator, frame, name, None)


def _set_global(evaluator: Evaluator, frame: Frame, name: str, value: Value | None) -> None:
    trace = evaluator.trace
    trace.touch()
    trace.effects.set_global(name, value, frame.globals, frame.globals is trace.globals)


OPERATIONS: dict[str, Operation] = {
    "NOP": nothing,
    "RESUME": nothing,
    "PRECALL": nothing,
    "CACHE": nothing,
    "COPY_FREE_VARS": nothing,
    "PUSH_NULL": push_null,
    "POP_TOP": pop_top,
    "COPY": copy,
    "SWAP": swap,
    "LOAD_CONST": load_const,
    "LOAD_FAST": load_fast,
    "STORE_FAST": store_fast,
    "DELETE_FAST": delete_fast,
    "MAKE_CELL": make_cell,
    "LOAD_DEREF": load_deref,
    "STORE_DEREF": store_deref,
    "DELETE_DEREF": delete_deref,
    "LOAD_CLOSURE": load_closure,
    "LOAD_GLOBAL": load_global,
    "STORE_GLOBAL": store_global,
    "DELETE_GLOBAL": delete_global,
}
