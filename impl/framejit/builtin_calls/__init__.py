"""Builtin functions and classes, called: a table by what each is about."""

from __future__ import annotations

from typing import Any

from framejit.builtin_calls import containers, iterators, numbers, objects
from framejit.signatures import Call

BUILTINS: dict[Any, Call] = {
    **containers.CALLS,
    **iterators.CALLS,
    **numbers.CALLS,
    **objects.CALLS,
}
