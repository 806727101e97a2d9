"""Framejit's guards: how each entry judges a call, and what its guards say in plain Python.

A guard shows two texts, what is guarded and what is demanded of it.  Both are read here, over the
locals of the eager frame, as printed_guards reads Dynamo's; what is not understood has no verdict.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

import framejit
from framefuzz.subjects.dynamo_guards import bind
from framefuzz.subjects.printed_guards import Missing, Reader, Unknown, truth
from framefuzz.trace import EntryCheck
from framejit._native import Failure, Guard

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_FUNCTION = re.compile(r"the object <function .* at (0x[0-9a-f]+)>")
_MODULE = re.compile(r"the object <module '([^']+)'")
_TENSORS = ("a Tensor of ", "a Parameter of ")
_TENSOR_TYPES = (torch.Tensor, torch.nn.Parameter)
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE, Include/object.h
_CLASS = re.compile(r"(?:type|the object) (<class '([^']*)'>)")


@dataclass(frozen=True)
class Made:
    """When an entry was made, and the state of torch's that was guarded, as names and texts."""

    call: int
    state: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, call: int, guards: Iterable[Guard]) -> Made:
        """Without the guards themselves, which keep alive what they name."""
        return cls(call, tuple(item for guard in guards for item in guard.state))


def check_entries(
    fn: Callable[..., Any], arguments: tuple[Any, ...], made: Mapping[int, Made]
) -> list[EntryCheck]:
    """How each entry judges a call of ``fn``; ``made`` is known of it by its replacement's id.

    Empty where there are no entries, or where the arguments do not fit the signature.
    """
    checks = []
    for index, answer in enumerate(framejit.ask(fn, *arguments)):
        known = made.get(id(answer.entry.replacement), Made(-1, ()))
        printed, failed = evaluate(answer.entry.guards, known.state, fn, arguments)
        checks.append(
            EntryCheck(
                index,
                answer.fast,
                answer.explained,
                printed,
                failed,
                "" if answer.failure is None else failure_text(answer.failure),
                known.call,
                answer.by_dict,
            )
        )
    return checks


def failure_text(failure: Failure) -> str:
    """A guard that did not hold, as text that is the same in every process."""
    if failure.kind == "died":
        return "what it names has been deleted"
    return text_of(failure.source, failure.expected)


def text_of(source: str, expected: str) -> str:
    """A guard as one condition, in the words in which Dynamo's are printed where it has them."""
    expected = _ADDRESS.sub("", expected)
    first, _, rest = expected.partition(" ")
    if first == "type":
        return f"type({source}) is {rest}"
    if expected.startswith("the object "):
        return f"{source} is {expected.removeprefix('the object ')}"
    if first == "length":
        return f"len({source}) == {rest}"
    if first == "keys":
        return f"keys of {source}: {rest}"
    if expected in ("absent", "present", "the same object", "different objects"):
        return f"{expected}: {source}"
    if expected == "true":
        return source
    if expected.startswith("true of "):
        return f"predicate {rest.removeprefix('of ')} of {source}"
    if source == "global state" or expected.startswith("global state"):
        return f"global state: {expected}"
    if expected.startswith(("contains ", "does not contain ")):
        return f"{expected}: {source}"
    if _literal(expected) is not _NO_LITERAL:
        return f"{source} == {expected}"
    return f"tensor {source}: {expected}"


def evaluate(
    guards: Iterable[tuple[str, str]],
    state: tuple[tuple[str, str], ...],
    fn: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> tuple[bool | None, str]:
    """Whether guards hold by what they say of the eager frame's locals; the first that does not.

    A guard is what is guarded and what is demanded of it.  ``state`` is what torch's own state was.
    None if none is known not to hold, but not all could be judged.
    """
    scope = bind(fn, arguments)
    if scope is None:
        return None, ""
    if type(fn) is types.MethodType:
        fn = fn.__func__
    reader = _Reader(scope, getattr(fn, "__globals__", {}), getattr(fn, "__builtins__", {}))
    verdict: bool | None = True
    for source, expected in guards:
        if source == "global state":
            # Those are torch's own values, printed; nothing of the program's is asked.
            held: bool | None = tuple(Guard.global_state().state) == state
        else:
            held = _holds(reader, source, expected)
        if held is None:
            verdict = None
        elif not held:
            return False, text_of(source, expected)
    return verdict, ""


def _holds(reader: _Reader, source: str, expected: str) -> bool | None:
    try:
        node = ast.parse(source, mode="eval").body
        if expected == "absent":
            return _is_absent(reader, node)
        if expected in ("the same object", "different objects") and isinstance(node, ast.Tuple):
            values = [reader.value(element) for element in node.elts]
            count = len({id(value) for value in values})
            return count == (1 if expected == "the same object" else len(values))
        value = reader.value(node)
        return truth(value) if expected == "true" else _fits(value, expected)
    except Missing:
        return False
    except (Unknown, SyntaxError, RecursionError, TypeError, ArithmeticError):
        return None


def _is_absent(reader: _Reader, node: ast.expr) -> bool:
    try:
        reader.value(node)
    except Missing:
        return True
    return False


def _fits(value: Any, expected: str) -> bool | None:
    """Whether a value is as a guard demands; None if that cannot be told from the text."""
    kind = type(value)
    if expected == "present":
        return True
    if expected.startswith("type "):
        return _is_class(kind, expected)
    if expected.startswith("length ") and kind in (list, tuple, dict, set, frozenset, str, bytes):
        return bool(len(value) == int(expected.removeprefix("length ")))
    if expected.startswith("keys ") and kind is dict:
        keys = _literal(expected.removeprefix("keys "))
        return None if keys is _NO_LITERAL else _same(tuple(value), keys)
    if function := _FUNCTION.fullmatch(expected):
        return id(value) == int(function.group(1), 16)
    if expected.startswith("the object <built-in ") and kind is types.BuiltinFunctionType:
        return _is_builtin(value, expected)
    if (module := _MODULE.match(expected)) and kind is types.ModuleType:
        return True if sys.modules.get(module.group(1)) is value else None
    if expected.startswith("the object <class ") and kind is type:
        return _is_class(value, expected)
    if expected.startswith(_TENSORS):
        return _is_like(value, expected) if kind in _TENSOR_TYPES else False
    constant = _literal(expected)
    return None if constant is _NO_LITERAL else _same(value, constant)


def _is_like(tensor: torch.Tensor, expected: str) -> bool | None:
    """By all that the text says, sizes and strides that may vary apart."""
    if tensor.layout is not torch.strided:
        return None
    text = (
        f"a {type(tensor).__name__} of {tensor.dtype} on {tensor.device!r}, "
        f"shape {tuple(tensor.shape)}, strides {tensor.stride()}"
    )
    for mark, present in (
        ("requires_grad", tensor.requires_grad),
        ("conj bit", tensor.is_conj()),
        ("neg bit", tensor.is_neg()),
        ("inference", tensor.is_inference()),
    ):
        text += f", {mark}" if present else ""
    return re.fullmatch(re.escape(expected).replace("any", r"\d+"), text) is not None


def _is_builtin(function: types.BuiltinFunctionType, expected: str) -> bool | None:
    """By name, and by what it is a method of; modules can have functions of one name."""
    if expected.endswith("..."):  # cut
        return None
    if f"the object {function!r}" != expected:
        return False
    known = " at 0x" in expected or vars(builtins).get(function.__name__) is function
    return True if known else None


def _is_class(cls: type, expected: str) -> bool | None:
    """By name; a class of the program's can have been made anew under the same, or renamed."""
    named = _CLASS.fullmatch(expected)
    if named is None or type(cls) is not type:
        return None
    can_change = "." in named.group(2) and bool(cls.__flags__ & _HEAP_TYPE)
    if can_change:
        return None
    return type.__repr__(cls) == named.group(1)


class _NoLiteral:
    pass


_NO_LITERAL = _NoLiteral()


def _literal(text: str) -> Any:
    """The constant that a text is, unless it was cut or is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return frozenset() if text == "frozenset()" else _NO_LITERAL


def _same(value: Any, constant: Any) -> bool | None:
    """Equal and of the same exact type, floats by their sign as well."""
    if type(value) is not type(constant):
        return False
    if type(value) is float:
        return bool(value == constant and math.copysign(1, value) == math.copysign(1, constant))
    if type(value) is tuple:
        parts = [_same(a, b) for a, b in zip(value, constant, strict=False)]
        if len(value) != len(constant) or False in parts:
            return False
        return None if None in parts else True
    if value is None or type(value) in (bool, int, str, bytes, type(...)):
        return bool(value == constant)
    return None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


class _Reader(Reader):
    """Reads what framejit guards: variables by their names, and steps from them."""

    def __init__(
        self, scope: dict[str, Any], global_scope: dict[str, Any], builtins: dict[str, Any]
    ) -> None:
        super().__init__(scope)
        self._globals = global_scope
        self._builtins = builtins

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name) and node.id not in self._scope:
            raise Missing(node.id)
        if isinstance(node, ast.Attribute) and _is_name(node.value, "builtins"):
            if node.attr not in self._builtins:
                raise Missing(node.attr)
            return self._builtins[node.attr]
        return super().value(node)

    def call(self, name: str, values: list[Any]) -> Any:
        if name == "globals" and not values:
            return self._globals
        return super().call(name, values)

    def attribute(self, owner: Any, name: str) -> Any:
        kind = type(owner)
        if kind is torch.Tensor and name == "shape":
            return owner.shape
        if kind is types.MethodType and name in ("__func__", "__self__"):
            return getattr(owner, name)
        if kind is types.ModuleType or (kind is types.FunctionType and name == "__dict__"):
            return vars(owner) if name == "__dict__" else self._entry(vars(owner), name)
        return super().attribute(owner, name)

    @staticmethod
    def _entry(of: dict[str, Any], name: str) -> Any:
        if name in of:
            return of[name]
        raise Unknown(name)  # a module can have a __getattr__
