"""Dynamo's guards as it prints them, evaluated in plain Python over a frame's locals.

The conditions are Python text (``L['n'] == 3``, ``len(L['l']) == 2``,
``___check_type_id(G['K'], 9440)``).  They are interpreted from their syntax tree, not by
``eval``: an attribute or an item of one of the program's own objects could run the program's
code.  A condition with a part that is not known here has no verdict, so a new kind of guard
can cause no alarm.
"""

from __future__ import annotations

import ast
import functools
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
# By identity, since a metaclass of the program's can have an __eq__ and a __hash__.
_PLAIN = frozenset(map(id, (int, float, bool, str, bytes, type(None), torch.dtype, torch.device)))
_SIZED = frozenset(map(id, (list, tuple, dict, set, frozenset, str, bytes, torch.Size)))
_NUMBERS = frozenset(map(id, (int, float, bool)))
_OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__", "__closure__")
# How evaluate() marks the condition that only its tolerance makes false.
TYPE_OF = "type of "
# "___check_type_id(L['x'], 1), type=<class 'int'>": Dynamo adds the type for the reader.
_TYPE_NOTE = re.compile(r", type=<.*>$")


class Unknown(Exception):
    """A part of a condition that is not interpreted here."""


class Missing(Unknown):
    """A condition's source leads nowhere: an item that is not there, an empty cell."""


def evaluate(
    conditions: list[str],
    frame_locals: Mapping[str, Any],
    global_scope: Mapping[str, Any] | None,
    helpers: Mapping[str, Any] | None,
) -> tuple[bool | None, str]:
    """The conjunction of the conditions, and the first that is false.

    False if one is false; None if none is, but not all could be interpreted.  A condition that is
    true as printed and false by the tolerance ``printed-equality`` is named with TYPE_OF before it.
    """
    reader = Reader({"L": frame_locals, "G": (global_scope or {}).get("G", {})})
    verdict: bool | None = True
    other_type = ""
    for condition in conditions:
        text = _TYPE_NOTE.sub("", condition).strip()
        reader.types_differ = False
        try:
            held = _ambient(text, helpers or {})
            if held is None:
                held = truth(reader.value(_parsed(text)))
        except (Unknown, SyntaxError, RecursionError, TypeError, ArithmeticError):
            verdict = None
            continue
        if not held:
            return False, condition
        if reader.types_differ and not other_type:
            other_type = condition
    if other_type:
        return False, TYPE_OF + other_type
    return verdict, ""


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    # The same few conditions are evaluated before each call.
    return ast.parse(text, mode="eval").body


def _ambient(text: str, helpers: Mapping[str, Any]) -> bool | None:
    """Conditions on torch's global state, which Dynamo prints but has its own functions for."""
    for name in ("___check_global_state", "___check_torch_function_mode_stack"):
        if text.startswith(f"{name}()") and name in helpers:
            return bool(helpers[name]())
    if text == "utils_device.CURRENT_DEVICE == None":
        return torch.utils._device.CURRENT_DEVICE is None
    return None


class Reader:
    """Reads conditions over one scope, without running any of the program's code.

    ``types_differ`` is set where ``X == constant`` held, but for two types.
    """

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self._scope = scope
        self.types_differ = False

    def value(self, node: ast.expr) -> Any:
        """The value of an expression; raises Unknown for what is not interpreted here."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in self._scope:
            return self._scope[node.id]
        if isinstance(node, ast.Subscript):
            return _item(self.value(node.value), self.value(node.slice))
        if isinstance(node, ast.Attribute):
            return self.attribute(self.value(node.value), node.attr)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.call(node.func.id, [self.value(argument) for argument in node.args])
        if isinstance(node, ast.BoolOp):
            stops_at = isinstance(node.op, ast.Or)
            return next((stops_at for v in node.values if self._holds(v) is stops_at), not stops_at)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._holds(node.operand)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -_plain(self.value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            left, right = _number(self.value(node.left)), _number(self.value(node.right))
            return _ARITHMETIC[type(node.op)](left, right)
        raise Unknown(type(node).__name__)

    def attribute(self, owner: Any, name: str) -> Any:
        """Attributes of functions and cells only: those are slots, and run no code."""
        kind = type(owner)
        if kind is types.FunctionType and name in _OF_FUNCTIONS:
            return getattr(owner, name)
        if kind is types.CellType and name == "cell_contents":
            try:
                return owner.cell_contents
            except ValueError:
                raise Missing("empty cell") from None
        raise Unknown(name)

    def call(self, name: str, values: list[Any]) -> Any:
        """The functions that occur in conditions."""
        if name == "___check_type_id" and len(values) == 2:
            return id(type(values[0])) == values[1]
        if name == "___check_obj_id" and len(values) == 2:
            return id(values[0]) == values[1]
        if name == "len" and len(values) == 1 and id(type(values[0])) in _SIZED:
            return len(values[0])
        if name == "type" and len(values) == 1:
            return type(values[0])
        raise Unknown(name)

    def _holds(self, node: ast.expr) -> bool:
        return truth(self.value(node))

    def _compare(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            kind = type(operation)
            right = self.value(comparator)
            if kind not in _COMPARE:
                raise Unknown(kind.__name__)
            if kind not in (ast.Is, ast.IsNot):
                left, right = _plain(left), _plain(right)
            if not _COMPARE[kind](left, right):
                return False
            # Tolerance "printed-equality": EQUALS_MATCH compares the types too, and does not
            # print that it does (torch/csrc/dynamo/guards.cpp).
            if kind is ast.Eq and _is_constant(comparator) and type(left) is not type(right):
                self.types_differ = True
            left = right
        return True


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant)


def _item(container: Any, key: Any) -> Any:
    kind = type(container)
    try:
        if kind is dict:
            # Looking a key up compares it with others, and those can be the program's objects.
            if any(id(type(other)) not in _PLAIN for other in container):
                raise Unknown("keys of the program's own")
            return container[_plain(key)]
        if (kind is list or kind is tuple or kind is torch.Size) and type(key) is int:
            return container[key]
    except (KeyError, IndexError):
        # Dynamo's accessor fails the guard here; so is the condition false, whatever it says.
        raise Missing("missing item") from None
    raise Unknown(kind.__name__)


def truth(value: Any) -> bool:
    """The truth of a value that has no __bool__ or __len__ of the program's."""
    if id(type(value)) in _PLAIN or id(type(value)) in _SIZED:
        return bool(value)
    raise Unknown(type(value).__name__)


def _plain(value: Any) -> Any:
    if id(type(value)) not in _PLAIN:
        raise Unknown(type(value).__name__)
    return value


def _number(value: Any) -> Any:
    # A product of a string and an int could take all memory there is.
    if id(type(value)) not in _NUMBERS:
        raise Unknown(type(value).__name__)
    return value
