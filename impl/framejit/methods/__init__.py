"""Methods of what is built in, by name: a table a class."""

from __future__ import annotations

from framejit.evaluator import Evaluator
from framejit.methods import constants, dicts, iterators, lists, sets
from framejit.signatures import Call
from framejit.stops import Break
from framejit.values import Const, Dict, Generator, Iterator, List, Set, Tuple, Value

_BY_CLASS: dict[type, dict[str, Call]] = {**lists.METHODS, **dicts.METHODS, **sets.METHODS}
_BY_KIND: dict[type[Value], dict[str, Call]] = {
    Generator: iterators.OF_GENERATORS,
    Iterator: iterators.OF_ITERATORS,
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
    if isinstance(owner, (List, Dict, Set)):
        table = _BY_CLASS[owner.cls]
    else:
        table = _BY_KIND.get(type(owner), {})
    if name not in table:
        raise Break(f"method {name} of {type(owner).__name__.lower()}")
    return table[name](evaluator, [owner, *arguments], keywords, depth)
