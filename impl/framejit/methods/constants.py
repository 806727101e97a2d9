"""Methods of what does not change: strings, numbers, tuples and named tuples."""

from __future__ import annotations

from typing import Any

from framejit.evaluator import Evaluator
from framejit.known import fold, has_set
from framejit.stops import Break
from framejit.values import Const, Dict, NotConstant, Tuple, Value


def call_method(
    evaluator: Evaluator,
    owner: Const | Tuple,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> Value:
    """``owner.name(...)``, called now if all is known."""
    if isinstance(owner, Tuple) and hasattr(owner.cls, "_fields"):
        return _of_named_tuple(evaluator, owner, name, arguments, keywords)

    def method(plain: Any, *values: Any, **named: Any) -> Any:
        return getattr(plain, name)(*values, **named)

    if name.startswith("__") and name not in ("__len__", "__getitem__", "__contains__"):
        raise Break(f"method {name}")
    if any(has_set(evaluator, value) for value in (*arguments, *keywords.values())):
        raise Break(f"method {name} with a set, whose order is not known")
    try:
        return fold(evaluator, method, [owner, *arguments], keywords)
    except NotConstant as error:
        raise Break(f"method {name} with {error}, whose value is not known") from None


def _of_named_tuple(
    evaluator: Evaluator,
    owner: Tuple,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> Value:
    cls: Any = owner.cls
    if arguments or not _is_librarys_own(getattr(cls, name, None)):
        raise Break(f"method {name} of a named tuple")
    pairs = dict(zip(cls._fields, owner.items, strict=True))
    if name == "_replace" and set(keywords) <= set(pairs):
        return evaluator.born(Tuple(list({**pairs, **keywords}.values()), cls))
    if name == "_asdict" and not keywords:
        return evaluator.born(Dict(pairs))
    raise Break(f"method {name} of a named tuple")


def _is_librarys_own(method: Any) -> bool:
    """Whether a named tuple's method is the one that ``collections.namedtuple`` made."""
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename.endswith("collections/__init__.py")
