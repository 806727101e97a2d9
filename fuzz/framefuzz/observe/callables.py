"""Functions with their closures, cells, methods, partials, wrappers and weak references."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from framefuzz.observe.ownership import is_own_module

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

# Tolerance: compilers leave marks on the functions they have seen.
COMPILER_MARKS = ("_torchdynamo", "_torch_dynamo", "__compiled", "_framejit")

MADE_ON_ACCESS: frozenset[type] = frozenset(
    {
        types.MethodType,
        types.BuiltinFunctionType,
        types.MethodWrapperType,
        types.WrapperDescriptorType,
        types.MethodDescriptorType,
        types.ClassMethodDescriptorType,
        types.GetSetDescriptorType,
        types.MemberDescriptorType,
    }
)


def _function(snap: Snapshot, value: types.FunctionType) -> tuple[str, Parts]:
    code = value.__code__
    if not is_own_module(value.__module__):
        return f"{value.__module__}.{value.__qualname__}", []
    parts: Parts = [
        (f"({name})", snap.node(cell))
        for name, cell in zip(code.co_freevars, value.__closure__ or (), strict=True)
    ]
    if value.__defaults__:
        parts.append((".__defaults__", snap.node(value.__defaults__)))
    if value.__kwdefaults__:
        parts.append((".__kwdefaults__", snap.node(value.__kwdefaults__)))
    parts += [
        (f".{name}", snap.node(attribute))
        for name, attribute in value.__dict__.items()
        if not name.startswith(COMPILER_MARKS)
    ]
    return value.__qualname__, parts


def _cell(snap: Snapshot, value: types.CellType) -> tuple[str, Parts]:
    try:
        contents = value.cell_contents
    except ValueError:
        return "empty", []
    return "", [("", snap.node(contents))]


def _method(snap: Snapshot, value: types.MethodType) -> tuple[str, Parts]:
    return "", [(".__self__", snap.node(value.__self__)), (".__func__", snap.node(value.__func__))]


def _builtin(snap: Snapshot, value: types.BuiltinFunctionType) -> tuple[str, Parts]:
    owner = value.__self__
    if owner is None or isinstance(owner, types.ModuleType | type):
        return value.__qualname__, []
    return value.__qualname__, [(".__self__", snap.node(owner))]


def _descriptor(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    return f"{value.__objclass__.__name__}.{value.__name__}", []


def _partial(snap: Snapshot, value: functools.partial[Any]) -> tuple[str, Parts]:
    return "", [
        (".func", snap.node(value.func)),
        (".args", snap.node(value.args)),
        (".keywords", snap.node(value.keywords)),
    ]


def _lru_cache(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # Tolerance: Dynamo documents that it bypasses the cache, so hits are not compared.
    return "", [(".__wrapped__", snap.node(value.__dict__.get("__wrapped__")))]


def _weakref(snap: Snapshot, value: weakref.ref[Any]) -> tuple[str, Parts]:
    referent = value()
    return ("dead", []) if referent is None else ("", [("()", snap.node(referent))])


def _wrapper(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    return "", [(".__func__", snap.node(value.__func__))]


def _property(snap: Snapshot, value: property) -> tuple[str, Parts]:
    return "", [
        (f".{name}", snap.node(function))
        for name, function in (("fget", value.fget), ("fset", value.fset), ("fdel", value.fdel))
        if function is not None
    ]


DESCRIBERS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    types.FunctionType: _function,
    types.CellType: _cell,
    types.MethodType: _method,
    types.BuiltinFunctionType: _builtin,
    types.MethodWrapperType: _builtin,
    types.WrapperDescriptorType: _descriptor,
    types.MethodDescriptorType: _descriptor,
    types.ClassMethodDescriptorType: _descriptor,
    types.GetSetDescriptorType: _descriptor,
    types.MemberDescriptorType: _descriptor,
    functools.partial: _partial,
    functools._lru_cache_wrapper: _lru_cache,
    weakref.ref: _weakref,
    staticmethod: _wrapper,
    classmethod: _wrapper,
    property: _property,
}
