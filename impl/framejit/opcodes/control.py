"""Instructions that jump, return, iterate and yield."""

from __future__ import annotations

from collections.abc import Callable

from framejit.decode import Instruction
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.iteration import iterate, next_of, sent
from framejit.stops import Break, Exhausted
from framejit.truth import truth
from framejit.values import Const, Generator, Value


def jump(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.jump(instruction)


def _pop_jump(wanted: Callable[[Evaluator, Value], bool]) -> Operation:
    def pop_jump(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
        if wanted(evaluator, frame.pop()):
            frame.jump(instruction)

    return pop_jump


def _jump_or_pop(jumps_if: bool) -> Operation:
    def jump_or_pop(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
        if truth(evaluator, frame.stack[-1]) is jumps_if:
            frame.jump(instruction)
        else:
            frame.pop()

    return jump_or_pop


def _is_none(evaluator: Evaluator, value: Value) -> bool:
    value = evaluator.look(value)
    return isinstance(value, Const) and value.value is None


def return_value(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.returned = frame.pop()


def get_iter(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(iterate(evaluator, frame.pop(), frame.depth))


def for_iter(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    try:
        frame.push(next_of(evaluator, frame.stack[-1], frame.depth))
    except Exhausted:
        frame.pop()
        frame.jump(instruction)


def return_generator(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    """The frame has begun to run as a generator; CPython pushes what is sent, first None."""
    frame.push(Const(None))


def yield_value(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    if evaluator.handled:
        raise Break("yield while an exception is handled")
    frame.yielded = frame.pop()
    frame.push(Const(None))


def get_yield_from_iter(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.pop())
    is_generator = isinstance(value, Generator)
    frame.push(value if is_generator else iterate(evaluator, value, frame.depth))


def send(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    try:
        frame.push(sent(evaluator, frame.stack[-1], value, frame.depth))
    except Exhausted as end:
        frame.pop()
        frame.push(end.value if end.value is not None else Const(None))
        frame.jump(instruction)


OPERATIONS: dict[str, Operation] = {
    "JUMP_FORWARD": jump,
    "JUMP_BACKWARD": jump,
    "JUMP_BACKWARD_NO_INTERRUPT": jump,
    "JUMP_IF_TRUE_OR_POP": _jump_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": _jump_or_pop(False),
    "RETURN_VALUE": return_value,
    "GET_ITER": get_iter,
    "FOR_ITER": for_iter,
    "RETURN_GENERATOR": return_generator,
    "YIELD_VALUE": yield_value,
    "GET_YIELD_FROM_ITER": get_yield_from_iter,
    "SEND": send,
}

for _direction in ("FORWARD", "BACKWARD"):
    OPERATIONS[f"POP_JUMP_{_direction}_IF_TRUE"] = _pop_jump(truth)
    OPERATIONS[f"POP_JUMP_{_direction}_IF_FALSE"] = _pop_jump(lambda e, v: not truth(e, v))
    OPERATIONS[f"POP_JUMP_{_direction}_IF_NONE"] = _pop_jump(_is_none)
    OPERATIONS[f"POP_JUMP_{_direction}_IF_NOT_NONE"] = _pop_jump(lambda e, v: not _is_none(e, v))
