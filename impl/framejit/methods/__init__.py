"""Methods of what is built in, by name: a table a class."""

from __future__ import annotations

from framejit.evaluator import Evaluator
from framejit.methods import constants, dicts, iterators, lists, sets
from framejit.signatures import Call
from framejit.stops import Break
from framejit.values import Const, Container, Tuple, Value

_TABLES: dict[type, dict[str, Call]] = {
    **lists.METHODS,
    **dicts.METHODS,
    **sets.METHODS,
    **iterators.METHODS,
}


def call_method(
    evaluator: Evaluator,
    owner: Value,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    """``owner.name(...)`` for an owner whose class is written in C."""
    if isinstance(owner, (Const, Tuple)):
        return constants.call_method(evaluator, owner, name, arguments, keywords)
    kind = owner.cls if isinstance(owner, Container) else type(owner)
    table = _TABLES.get(kind, {})
    if name not in table:
        raise Break(f"method {name} of {type(owner).__name__.lower()}")
    return table[name](evaluator, [owner, *arguments], keywords, depth)
