"""What arguments the symbolic version of a builtin function or method takes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol

from framejit.evaluator import Evaluator
from framejit.known import fold, has_set
from framejit.stops import Break
from framejit.values import Known, NotConstant, Value


class Call(Protocol):
    """Calls a builtin: a method's first argument is its owner."""

    def __call__(
        self, evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value: ...


def builtin(function: Callable[..., Value]) -> Call:
    """A builtin with the parameters that ``function`` has after the evaluator and the depth.

    Arguments that do not fit them break the graph: Python says what is wrong, or knows better.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        try:
            given = signature.bind(evaluator, depth, *arguments, **keywords)
        except TypeError as error:
            raise Break(f"{function.__name__.strip('_')}(): {error}") from None
        return function(*given.args, **given.kwargs)

    return call


def folding(function: Callable[..., Any]) -> Call:
    """A pure function, called now if its arguments are known."""
    name = getattr(function, "__name__", str(function))

    def call(
        evaluator: Evaluator, arguments: list[Value], keywords: dict[str, Value], depth: int
    ) -> Value:
        if function in _SHOWING:
            _check_shown(evaluator, arguments)
        try:
            return fold(evaluator, function, arguments, keywords)
        except NotConstant as error:
            raise Break(f"{name}() of {error}, whose value is not known") from None

    return call


_SHOWING = (str, repr, format)


def _check_shown(evaluator: Evaluator, arguments: list[Value]) -> None:
    for argument in arguments:
        value = evaluator.look(argument)
        if isinstance(value, Known) or has_set(evaluator, value):
            raise Break("text of what has an address or an order that is not known")
