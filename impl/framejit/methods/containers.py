"""Methods that several containers have."""

from __future__ import annotations

from typing import Any

from framejit.evaluator import Evaluator
from framejit.known import fold
from framejit.signatures import Call, builtin
from framejit.stops import Break
from framejit.values import Const, Dict, List, NotConstant, Value


@builtin
def clear(evaluator: Evaluator, depth: int, owner: Any, /) -> Value:
    """``owner.clear()`` of a list, deque, dict or set."""
    trace = evaluator.trace
    if isinstance(owner, List):
        trace.items(owner)
    elif isinstance(owner, Dict):
        trace.entries(owner)
    else:
        trace.members(owner)
    trace.removing(owner)
    owner.items.clear()
    trace.effects.call(owner, owner.cls.clear, [])
    return Const(None)


def folded(name: str) -> Call:
    """A method that changes nothing, on a container of constants."""

    @builtin
    def method(evaluator: Evaluator, depth: int, owner: Any, /, *arguments: Value) -> Value:
        try:
            return fold(evaluator, getattr(owner.cls, name), [owner, *arguments])
        except NotConstant as error:
            raise Break(f"method {name} with {error}, whose value is not known") from None

    return method
