"""Numbers, and pure functions of what is known."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from framejit.evaluator import Evaluator
from framejit.opcodes.operators import binary, compare
from framejit.signatures import Call, builtin, folding
from framejit.stops import Break
from framejit.truth import truth
from framejit.values import Const, Number, Tensor, Value


def _number(cls: type) -> Call:
    def convert(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        if len(arguments) == 1 and not keywords:
            value = evaluator.look(arguments[0])
            if isinstance(value, Tensor):
                raise Break(f"{cls.__name__}() of a tensor, which is its data")
            if isinstance(value, Number) and type(value.example) is cls:
                return value
            if cls is bool:
                return Const(truth(evaluator, value))
        return folding(cls)(evaluator, arguments, keywords, depth)

    return convert


def _operator(function: Callable[..., Any]) -> Call:
    operation = compare if function.__name__ in _COMPARISONS else binary

    @builtin
    def operate(evaluator: Evaluator, depth: int, left: Value, right: Value, /) -> Value:
        return operation(evaluator, function, left, right, depth)

    return operate


@builtin
def _abs(evaluator: Evaluator, depth: int, number: Value, /) -> Value:
    value = evaluator.look(number)
    if isinstance(value, Tensor):
        return evaluator.trace.recorder.call("call_function", operator.abs, [value])
    return folding(abs)(evaluator, [value], {}, depth)


_COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")
_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod")
_PURE: tuple[Callable[..., Any], ...] = (
    *(range, slice, repr, round, divmod, pow, ord, chr, hash, hex, bin, format, complex, str),
    *(math.sqrt, math.floor, math.ceil, math.isnan, math.isinf, math.prod, math.gcd, math.sin),
    *(math.cos, math.exp, math.log, math.pow, math.fabs, math.trunc, math.isclose),
)

CALLS: dict[Any, Call] = {
    int: _number(int),
    float: _number(float),
    bool: _number(bool),
    abs: _abs,
    **{function: folding(function) for function in _PURE},
    **{
        getattr(operator, name): _operator(getattr(operator, name))
        for name in (*_COMPARISONS, *_ARITHMETIC)
    },
}
