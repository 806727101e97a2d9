"""Dynamo's guards as it prints them, evaluated in plain Python over a frame's locals.

The conditions are Python text (``L['n'] == 3``, ``len(L['l']) == 2``,
``___check_type_id(G['K'], 9440)``).  They are interpreted from their syntax tree, not by
``eval``: an attribute or an item of one of the program's own objects could run the program's
code.  A condition with a part that is not known here has no verdict, so a new kind of guard
can cause no alarm.
"""

from __future__ import annotations

import ast
import operator
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

import torch

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_PLAIN = (int, float, bool, str, bytes, type(None), torch.dtype, torch.device)
# "___check_type_id(L['x'], 1), type=<class 'int'>": Dynamo adds the type for the reader.
_TYPE_NOTE = re.compile(r", type=<.*>$")


class Unknown(Exception):
    """A part of a condition that is not interpreted here."""


def evaluate(
    conditions: list[str],
    frame_locals: Mapping[str, Any],
    global_scope: Mapping[str, Any] | None,
    helpers: Mapping[str, Any] | None,
) -> tuple[bool | None, str]:
    """The conjunction of the conditions, and the first that is false.

    False as soon as one is false; None if none is, but not all could be interpreted.
    """
    scope = {"L": frame_locals, "G": (global_scope or {}).get("G", {})}
    verdict: bool | None = True
    for condition in conditions:
        text = _TYPE_NOTE.sub("", condition)
        try:
            held = _ambient(text, helpers or {})
            if held is None:
                held = bool(_value(ast.parse(text.strip(), mode="eval").body, scope))
        except (Unknown, SyntaxError, RecursionError):
            verdict = None
            continue
        if not held:
            return False, condition
    return verdict, ""


def _ambient(text: str, helpers: Mapping[str, Any]) -> bool | None:
    """Conditions on torch's global state, which Dynamo prints but has its own functions for."""
    if text.startswith("___check_global_state()"):
        return bool(helpers["___check_global_state"]())
    if text.startswith("___check_torch_function_mode_stack()"):
        return bool(helpers["___check_torch_function_mode_stack"]())
    if text == "utils_device.CURRENT_DEVICE == None":
        return torch.utils._device.CURRENT_DEVICE is None
    return None


def _value(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in scope:
        return scope[node.id]
    if isinstance(node, ast.Subscript):
        return _item(_value(node.value, scope), _value(node.slice, scope))
    if isinstance(node, ast.Attribute):
        return _attribute(_value(node.value, scope), node.attr)
    if isinstance(node, ast.Compare):
        return _compare(node, scope)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node.args, scope)
    if isinstance(node, ast.BoolOp):
        values = [bool(_value(value, scope)) for value in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(node.operand, scope)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_plain(_value(node.operand, scope))
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _plain(_value(node.left, scope)), _plain(_value(node.right, scope))
        return _ARITHMETIC[type(node.op)](left, right)
    raise Unknown(ast.dump(node))


def _item(container: Any, key: Any) -> Any:
    kind = type(container)
    try:
        if kind is dict or (isinstance(container, Mapping) and kind is not dict):
            if kind is not dict:
                raise Unknown(kind.__name__)
            return container[_plain(key)]
        if kind in (list, tuple, torch.Size) and type(key) is int:
            return container[key]
    except (KeyError, IndexError):
        # Dynamo's accessor fails the guard here; so is the condition false, whatever it says.
        raise Unknown("missing item") from None
    raise Unknown(kind.__name__)


def _attribute(owner: Any, name: str) -> Any:
    """Attributes of functions and cells only: those are slots, and run no code."""
    if isinstance(owner, types.FunctionType) and name in ("__code__", "__defaults__"):
        return getattr(owner, name)
    if isinstance(owner, types.FunctionType) and name == "__closure__":
        return owner.__closure__
    if type(owner) is types.CellType and name == "cell_contents":
        try:
            return owner.cell_contents
        except ValueError:
            raise Unknown("empty cell") from None
    raise Unknown(name)


def _compare(node: ast.Compare, scope: Mapping[str, Any]) -> bool:
    values = [_value(node.left, scope)] + [_value(right, scope) for right in node.comparators]
    for index, operation in enumerate(node.ops):
        kind = type(operation)
        left, right = values[index], values[index + 1]
        if kind not in _COMPARE:
            raise Unknown(kind.__name__)
        if kind not in (ast.Is, ast.IsNot):
            left, right = _plain(left), _plain(right)
            # Tolerance "printed-equality": EQUALS_MATCH compares the types too, and does not
            # print that it does (torch/csrc/dynamo/guards.cpp).
            constant = isinstance(node.comparators[index], ast.Constant)
            if kind is ast.Eq and constant and type(left) is not type(right):
                return False
        if not _COMPARE[kind](left, right):
            return False
    return True


def _call(name: str, arguments: list[ast.expr], scope: Mapping[str, Any]) -> Any:
    values = [_value(argument, scope) for argument in arguments]
    if name == "___check_type_id" and len(values) == 2:
        return id(type(values[0])) == values[1]
    if name == "___check_obj_id" and len(values) == 2:
        return id(values[0]) == values[1]
    if name == "len" and type(values[0]) in (list, tuple, dict, set, str, torch.Size):
        return len(values[0])
    if name == "type" and len(values) == 1:
        return type(values[0])
    raise Unknown(name)


def _plain(value: Any) -> Any:
    if type(value) not in _PLAIN:
        raise Unknown(type(value).__name__)
    return value
