"""Instructions that operate on values: arithmetic, comparison, subscripts, formatting."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from bytecode import BinaryOp, Compare

from framejit import arithmetic, attributes, subscripts
from framejit.attributes import special
from framejit.calls import call
from framejit.decode import Instruction
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.faults import planted
from framejit.known import born_now, fold, has_set, known
from framejit.sequences import concatenated, extended, repeated
from framejit.stops import Break
from framejit.truth import is_same, truth
from framejit.values import (
    Const,
    Container,
    Instance,
    Known,
    List,
    NotConstant,
    Number,
    Slice,
    Tensor,
    Tuple,
    Value,
)

_BINARY: dict[BinaryOp, Callable[..., Any]] = {
    BinaryOp.ADD: operator.add,
    BinaryOp.AND: operator.and_,
    BinaryOp.FLOOR_DIVIDE: operator.floordiv,
    BinaryOp.LSHIFT: operator.lshift,
    BinaryOp.MATRIX_MULTIPLY: operator.matmul,
    BinaryOp.MULTIPLY: operator.mul,
    BinaryOp.REMAINDER: operator.mod,
    BinaryOp.OR: operator.or_,
    BinaryOp.POWER: operator.pow,
    BinaryOp.RSHIFT: operator.rshift,
    BinaryOp.SUBTRACT: operator.sub,
    BinaryOp.TRUE_DIVIDE: operator.truediv,
    BinaryOp.XOR: operator.xor,
    BinaryOp.INPLACE_ADD: operator.iadd,
    BinaryOp.INPLACE_AND: operator.iand,
    BinaryOp.INPLACE_FLOOR_DIVIDE: operator.ifloordiv,
    BinaryOp.INPLACE_LSHIFT: operator.ilshift,
    BinaryOp.INPLACE_MATRIX_MULTIPLY: operator.imatmul,
    BinaryOp.INPLACE_MULTIPLY: operator.imul,
    BinaryOp.INPLACE_REMAINDER: operator.imod,
    BinaryOp.INPLACE_OR: operator.ior,
    BinaryOp.INPLACE_POWER: operator.ipow,
    BinaryOp.INPLACE_RSHIFT: operator.irshift,
    BinaryOp.INPLACE_SUBTRACT: operator.isub,
    BinaryOp.INPLACE_TRUE_DIVIDE: operator.itruediv,
    BinaryOp.INPLACE_XOR: operator.ixor,
}
_COMPARE: dict[Compare, Callable[..., Any]] = {
    Compare.LT: operator.lt,
    Compare.LE: operator.le,
    Compare.EQ: operator.eq,
    Compare.NE: operator.ne,
    Compare.GT: operator.gt,
    Compare.GE: operator.ge,
}
# Operations whose result can be far larger than what they work on.
_GROWING = {operator.pow, operator.ipow, operator.lshift, operator.ilshift}


def binary_op(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    right, left = evaluator.look(frame.pop()), evaluator.look(frame.pop())
    frame.push(binary(evaluator, _BINARY[instruction.argument], left, right, frame.depth))


def binary(
    evaluator: Evaluator, function: Callable[..., Any], left: Value, right: Value, depth: int
) -> Value:
    """``function(left, right)``, a function of the module operator."""
    left, right = evaluator.look(left), evaluator.look(right)
    if isinstance(left, Instance) or isinstance(right, Instance):
        return _by_method(evaluator, function, left, right, depth)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return evaluator.trace.recorder.call("call_function", function, [left, right])
    if arithmetic.is_numeric(left) and arithmetic.is_numeric(right):
        if isinstance(left, Number) or isinstance(right, Number):
            return arithmetic.binary(evaluator, function, left, right)
    in_place = function.__name__.startswith("i") and function.__name__ != "is_"
    if isinstance(left, Container) and in_place:
        return extended(evaluator, function, left, right, depth)
    if function in (operator.add, operator.iadd) and isinstance(left, (List, Tuple)):
        return born_now(evaluator, concatenated(evaluator, left, right))
    if function in (operator.mul, operator.imul):
        result = repeated(evaluator, left, right)
        if result is not None:
            return born_now(evaluator, result)
    if function in (operator.mod, operator.imod) and has_set(evaluator, right):
        raise Break("formatting a set")
    try:
        if planted("floor division truncates") and function is operator.floordiv:
            return fold(evaluator, lambda one, other: int(one / other), [left, right])
        if function in _GROWING:
            _check_size(evaluator, left, right)
        return fold(evaluator, function, [left, right])
    except NotConstant as error:
        raise Break(f"{function.__name__} of {error}") from None


def _check_size(evaluator: Evaluator, left: Value, right: Value) -> None:
    exponent = known(evaluator, right, "exponent")
    base = known(evaluator, left, "base")
    if isinstance(exponent, int) and isinstance(base, int) and abs(exponent) > 1000:
        raise Break("very large number")


def _by_method(
    evaluator: Evaluator, function: Callable[..., Any], left: Value, right: Value, depth: int
) -> Value:
    name = function.__name__.strip("_")
    in_place = name.startswith("i")
    reflected = _REFLECTED.get(name, f"r{name[1:] if in_place else name}")
    if isinstance(left, Const) and name in ("mod", "imod"):
        if isinstance(left.value, (str, bytes)):
            # A string formats whatever stands on the right.
            raise Break("formatting an instance")
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.cls is not right.cls and attributes.has(right.cls, f"__{reflected}__"):
            # The right side's may come first, or be asked after the left's.
            raise Break(f"{name} of instances of two classes")
    if isinstance(left, Instance):
        tried = [name, name[1:]] if in_place else [name]
        for one in tried:
            method = special(evaluator, left, f"__{one}__")
            if method is not None:
                return _implemented(evaluator, call(evaluator, method, [right], {}, depth))
    if isinstance(right, Instance) and not isinstance(left, (Instance, Tensor)):
        method = special(evaluator, right, f"__{reflected}__")
        if method is not None:
            return _implemented(evaluator, call(evaluator, method, [left], {}, depth))
    if name == "ne" and isinstance(left, Instance) and not attributes.has(left.cls, "__ne__"):
        # object's own asks __eq__.
        if attributes.has(left.cls, "__eq__") or isinstance(right, Instance):
            equal = _by_method(evaluator, operator.eq, left, right, depth)
            return Const(not truth(evaluator, equal))
    if name in ("eq", "ne") and not isinstance(left, Tensor) and not isinstance(right, Tensor):
        same = is_same(evaluator, left, right)
        return Const(same if name == "eq" else not same)
    raise Break(f"{name} of an instance that does not define it")


_REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def _implemented(evaluator: Evaluator, value: Value) -> Value:
    value = evaluator.look(value)
    if isinstance(value, Const) and value.value is NotImplemented:
        raise Break("operator that is not implemented by the left side")
    return value


def compare_op(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    right, left = evaluator.look(frame.pop()), evaluator.look(frame.pop())
    function = _COMPARE[instruction.argument]
    frame.push(compare(evaluator, function, left, right, frame.depth))


def compare(
    evaluator: Evaluator, function: Callable[..., Any], left: Value, right: Value, depth: int
) -> Value:
    """A comparison."""
    left, right = evaluator.look(left), evaluator.look(right)
    if isinstance(left, Instance) or isinstance(right, Instance):
        return _by_method(evaluator, function, left, right, depth)
    tensors = isinstance(left, Tensor), isinstance(right, Tensor)
    if any(tensors):
        if not all(tensors) and not arithmetic.is_numeric(right if tensors[0] else left):
            raise Break("comparison of a tensor with what is no number")
        return evaluator.trace.recorder.call("call_function", function, [left, right])
    if arithmetic.is_numeric(left) and arithmetic.is_numeric(right):
        if isinstance(left, Number) or isinstance(right, Number):
            return arithmetic.binary(evaluator, function, left, right)
    if function in (operator.eq, operator.ne) and _unlike(left, right):
        return Const(function is operator.ne)
    try:
        return fold(evaluator, function, [left, right])
    except NotConstant as error:
        raise Break(f"comparison of {error}") from None


def _unlike(left: Value, right: Value) -> bool:
    """Whether two values are of builtin kinds that are never equal."""
    kinds = (Container, Tuple)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Const) and one.value is None and isinstance(other, kinds):
            return True
    return False


def is_op(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    right, left = frame.pop(), frame.pop()
    frame.push(Const(is_same(evaluator, left, right) != bool(instruction.argument)))


def contains_op(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    container, item = evaluator.look(frame.pop()), evaluator.look(frame.pop())
    result = subscripts.contains(evaluator, container, item, frame.depth)
    frame.push(Const(result != bool(instruction.argument)))


def unary_not(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(Const(not truth(evaluator, frame.pop())))


def _unary(function: Callable[..., Any]) -> Operation:
    def unary(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
        value = evaluator.look(frame.pop())
        if isinstance(value, Tensor):
            frame.push(evaluator.trace.recorder.call("call_function", function, [value]))
        elif isinstance(value, Number) and function is operator.neg:
            frame.push(arithmetic.negative(evaluator, value))
        elif isinstance(value, Instance):
            method = special(evaluator, value, f"__{function.__name__}__")
            if method is None:
                raise Break(f"{function.__name__} of an instance")
            frame.push(call(evaluator, method, [], {}, frame.depth))
        else:
            try:
                frame.push(fold(evaluator, function, [value]))
            except NotConstant as error:
                raise Break(f"{function.__name__} of {error}") from None

    return unary


def binary_subscr(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    key, container = evaluator.look(frame.pop()), evaluator.look(frame.pop())
    frame.push(subscripts.get(evaluator, container, key, frame.depth))


def store_subscr(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    key, container = frame.pop(), evaluator.look(frame.pop())
    subscripts.set_(evaluator, container, key, frame.pop(), frame.depth)


def delete_subscr(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    key, container = evaluator.look(frame.pop()), evaluator.look(frame.pop())
    subscripts.delete(evaluator, container, key, frame.depth)


def format_value(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    flags = int(instruction.argument)
    specification = known(evaluator, frame.pop(), "format") if flags & 4 else ""
    value = evaluator.look(frame.pop())
    if isinstance(value, Known) or has_set(evaluator, value):
        raise Break("formatting an object")
    plain = known(evaluator, value, "formatting")
    conversions: tuple[Callable[[Any], Any], ...] = (lambda v: v, str, repr, ascii)
    conversion = conversions[flags & 3]
    if planted("conversion in a string ignored"):
        conversion = str
    try:
        frame.push(Const(format(conversion(plain), specification)))
    except Exception as error:
        evaluator.raise_(error)


def build_string(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    parts = [known(evaluator, part, "string") for part in frame.pop_many(instruction.argument)]
    frame.push(Const("".join(parts)))


def build_slice(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    parts = [evaluator.look(part) for part in frame.pop_many(instruction.argument)]
    if len(parts) == 2:
        parts.append(Const(None))
    frame.push(born_now(evaluator, Slice(parts)))


OPERATIONS: dict[str, Operation] = {
    "BINARY_OP": binary_op,
    "COMPARE_OP": compare_op,
    "IS_OP": is_op,
    "CONTAINS_OP": contains_op,
    "UNARY_NOT": unary_not,
    "UNARY_NEGATIVE": _unary(operator.neg),
    "UNARY_POSITIVE": _unary(operator.pos),
    "UNARY_INVERT": _unary(operator.invert),
    "BINARY_SUBSCR": binary_subscr,
    "STORE_SUBSCR": store_subscr,
    "DELETE_SUBSCR": delete_subscr,
    "FORMAT_VALUE": format_value,
    "BUILD_STRING": build_string,
    "BUILD_SLICE": build_slice,
}
