"""Instructions that raise and handle exceptions, and enter and leave ``with`` blocks."""

from __future__ import annotations

import torch

from framejit import attributes
from framejit.calls import call, construct
from framejit.decode import Instruction
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.known import known
from framejit.stops import Break, Raised
from framejit.values import (
    BuiltinMethod,
    Const,
    Exception_,
    GradMode,
    Instance,
    Known,
    Previous,
)


def raise_varargs(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    count = instruction.argument
    if count == 0:
        if not evaluator.handled:
            raise Break("raise of the exception that is handled outside")
        raise Raised(evaluator.handled[-1])
    if count == 2:
        raise Break("raise ... from")
    if evaluator.handled:
        raise Break("raise while an exception is handled")
    value = evaluator.look(frame.pop())
    if isinstance(value, Known) and isinstance(value.real, type):
        value = construct(evaluator, value, [], {}, frame.depth)
    if not isinstance(value, Exception_):
        raise Break("raise of what was not made here")
    raise Raised(value)


def reraise(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    if not isinstance(value, Exception_):
        raise Break("an exception from outside goes on")
    raise Raised(value)


def push_exc_info(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    frame.push(Previous(value))
    frame.push(value)
    evaluator.handled.append(value)


def pop_except(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    if not evaluator.handled:
        raise Break("end of handling an exception from outside")
    frame.pop()
    evaluator.handled.pop()


def check_exc_match(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    classes = known(evaluator, frame.pop(), "class")
    value = frame.stack[-1]
    if not isinstance(value, Exception_):
        raise Break("match of an exception from outside")
    for one in classes if isinstance(classes, tuple) else (classes,):
        if not isinstance(one, type) or not issubclass(one, BaseException):
            raise Break("except with what is no class of exceptions")
    frame.push(Const(issubclass(value.cls, classes)))


def load_assertion_error(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(Known(None, AssertionError))


def before_with(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    manager = evaluator.look(frame.pop())
    if isinstance(manager, GradMode):
        evaluator.trace.touch()
        manager.previous = torch.is_grad_enabled()
        torch._C._set_grad_enabled(manager.mode)
        frame.push(BuiltinMethod(manager, "__exit__"))
        frame.push(Const(None))
        return
    if not isinstance(manager, Instance):
        raise Break(f"with of {type(manager).__name__.lower()}")
    enter = attributes.special(evaluator, manager, "__enter__")
    leave = attributes.special(evaluator, manager, "__exit__")
    if enter is None or leave is None:
        raise Break("with of what is no context manager")
    frame.push(leave)
    frame.push(call(evaluator, enter, [], {}, frame.depth))


def with_except_start(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    # On the stack: __exit__, the instruction, the exception before, the exception.
    leave, value = frame.stack[-4], frame.stack[-1]
    if not isinstance(value, Exception_):
        raise Break("with that an exception from outside leaves")
    if isinstance(leave, BuiltinMethod) and isinstance(leave.owner, GradMode):
        leave_grad_mode(evaluator, leave.owner)
        frame.push(Const(None))
        return
    raise Break("__exit__ that is told of an exception")


def leave_grad_mode(evaluator: Evaluator, manager: GradMode) -> None:
    """Set the grad mode back."""
    assert manager.previous is not None
    evaluator.trace.touch()
    torch._C._set_grad_enabled(manager.previous)


OPERATIONS: dict[str, Operation] = {
    "RAISE_VARARGS": raise_varargs,
    "RERAISE": reraise,
    "PUSH_EXC_INFO": push_exc_info,
    "POP_EXCEPT": pop_except,
    "CHECK_EXC_MATCH": check_exc_match,
    "LOAD_ASSERTION_ERROR": load_assertion_error,
    "BEFORE_WITH": before_with,
    "WITH_EXCEPT_START": with_except_start,
}
