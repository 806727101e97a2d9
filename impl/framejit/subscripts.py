"""Items of containers: reading, writing, deleting, asking whether they are there."""

from __future__ import annotations

import operator

import torch

from framejit.attributes import special
from framejit.calls import call
from framejit.evaluator import Evaluator
from framejit.known import fold, known
from framejit.sequences import items_of, plain_key
from framejit.stops import Break
from framejit.tensors import deep
from framejit.values import (
    Const,
    Dict,
    Instance,
    List,
    NotConstant,
    Set,
    Tensor,
    Tuple,
    Value,
)


def get(evaluator: Evaluator, container: Value, key: Value, depth: int) -> Value:
    """``container[key]``."""
    if isinstance(container, Tensor):
        arguments = [container, deep(evaluator, key)]
        return evaluator.trace.recorder.call("call_function", operator.getitem, arguments)
    if isinstance(container, (List, Tuple)):
        return _get_of_sequence(evaluator, container, key)
    if isinstance(container, Dict):
        plain = plain_key(evaluator, key)
        found = evaluator.trace.entry(container, plain)
        if found is None:
            if hasattr(container.cls, "__missing__"):
                raise Break("missing key of a dict that makes it")
            evaluator.raise_(KeyError(plain))
        return found
    if isinstance(container, Instance):
        return _by_method(evaluator, container, "__getitem__", [key], depth)
    try:
        return fold(evaluator, operator.getitem, [container, key])
    except NotConstant as error:
        raise Break(f"subscript of {error}") from None


def _get_of_sequence(evaluator: Evaluator, container: List | Tuple, key: Value) -> Value:
    index = known(evaluator, key, "index")
    items: list[Value] = items_of(evaluator, container)
    if isinstance(index, slice):
        if container.cls not in (list, tuple) and isinstance(container, List):
            evaluator.raise_(TypeError("sequence index must be integer, not 'slice'"))
        part = items[index]
        cls = torch.Size if container.cls is torch.Size else tuple
        made: Value = List(part) if isinstance(container, List) else Tuple(part, cls)
        made.born = evaluator.trace.visits
        return made
    try:
        found: Value = items[index]
    except (IndexError, TypeError):
        raise Break("index that is not there") from None
    return found


def set_(evaluator: Evaluator, container: Value, key: Value, value: Value, depth: int) -> None:
    """``container[key] = value``."""
    trace = evaluator.trace
    if isinstance(container, Tensor):
        arguments = [container, evaluator.look(key), evaluator.look(value)]
        trace.recorder.mutate(operator.setitem, [deep(evaluator, value) for value in arguments])
    elif isinstance(container, List):
        index = known(evaluator, key, "index")
        items = trace.items(container)
        if type(index) not in (int, bool):
            raise Break("assignment to a slice of a list")
        if not -len(items) <= index < len(items):
            raise Break("index that is not there")
        trace.touch()
        items[index] = value
        trace.effects.set_item(container, Const(index), value)
    elif isinstance(container, Dict):
        if trace.store(container, key, value):
            return
        plain = plain_key(evaluator, key)
        entries = trace.entries(container)
        trace.touch()
        entries[plain] = value
        trace.effects.set_item(container, key, value)
    elif isinstance(container, Instance):
        _by_method(evaluator, container, "__setitem__", [key, value], depth)
    else:
        raise Break(f"assignment to an item of {type(container).__name__.lower()}")


def delete(evaluator: Evaluator, container: Value, key: Value, depth: int) -> None:
    """``del container[key]``."""
    trace = evaluator.trace
    if isinstance(container, List):
        index = known(evaluator, key, "index")
        items = trace.items(container)
        if type(index) not in (int, bool, slice):
            raise Break("deletion by what is no index")
        if type(index) is not slice and not -len(items) <= index < len(items):
            raise Break("index that is not there")
        trace.removing(container)
        del items[index]
        trace.effects.delete_item(container, key)
    elif isinstance(container, Dict):
        plain = plain_key(evaluator, key)
        entries = trace.entries(container)
        if plain not in entries:
            evaluator.raise_(KeyError(plain))
        trace.removing(container)
        del entries[plain]
        trace.effects.delete_item(container, key)
    elif isinstance(container, Instance):
        _by_method(evaluator, container, "__delitem__", [key], depth)
    else:
        raise Break(f"deletion of an item of {type(container).__name__.lower()}")


def contains(evaluator: Evaluator, container: Value, item: Value, depth: int) -> bool:
    """``item in container``."""
    if isinstance(container, Dict):
        return evaluator.trace.entry(container, plain_key(evaluator, item)) is not None
    if isinstance(container, Set):
        return plain_key(evaluator, item) in evaluator.trace.members(container)
    if isinstance(container, Instance):
        method = special(evaluator, container, "__contains__")
        if method is None:
            raise Break("membership in an instance that does not define it")
        return bool(known(evaluator, call(evaluator, method, [item], {}, depth), "membership"))
    if isinstance(container, (List, Tuple)):
        items = [evaluator.look(part) for part in items_of(evaluator, container)]
        if any(isinstance(part, Instance) for part in items):
            raise Break("membership among instances")
    try:
        found = fold(evaluator, operator.contains, [container, item])
    except NotConstant as error:
        raise Break(f"membership of {error}") from None
    assert isinstance(found, Const)
    return bool(found.value)


def _by_method(
    evaluator: Evaluator, container: Instance, name: str, values: list[Value], depth: int
) -> Value:
    method = special(evaluator, container, name)
    if method is None:
        raise Break(f"{name} of an instance that does not define it")
    return call(evaluator, method, values, {}, depth)
