"""Functions with their closures, cells, methods, partials, wrappers and weak references."""

from __future__ import annotations

import functools
import types
import weakref
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from framefuzz.observe.containers import attributes
from framefuzz.observe.ownership import is_own_module

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

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
        # Equal code objects are shared or copied by whoever makes functions.
        types.CodeType,
    }
)


_bound_to: Any = vars(types.MethodType)["__self__"].__get__
_bound_function: Any = vars(types.MethodType)["__func__"].__get__


def _function(snap: Snapshot, value: types.FunctionType) -> tuple[str, Parts]:
    code = value.__code__
    namespace = value.__globals__
    own_namespace = is_own_module(namespace.get("__name__"))
    # functools.wraps gives a library's wrapper the module of the function it wraps.
    if not own_namespace and not is_own_module(value.__module__):
        return f"{value.__module__}.{value.__qualname__}", []
    parts: Parts = [
        (f"({name})", snap.node(cell))
        for name, cell in zip(code.co_freevars, value.__closure__ or (), strict=False)
    ]
    if value.__defaults__:
        parts.append((".__defaults__", snap.node(value.__defaults__)))
    if value.__kwdefaults__:
        parts.append((".__kwdefaults__", snap.node(value.__kwdefaults__)))
    parts += attributes(snap, value.__dict__.items())
    if own_namespace and snap.own_globals is not None and namespace is not snap.own_globals:
        parts.append((".__globals__", snap.namespace(namespace)))
    name = "" if value.__qualname__.endswith(value.__name__) else f" named {value.__name__}"
    return f"{value.__qualname__}{name} #{fingerprint(code):06x}", parts


@functools.lru_cache(maxsize=256)
def fingerprint(code: types.CodeType) -> int:
    """A number of six hexadecimal digits that tells code apart.

    The line counts too: two functions of the same text are two code objects, which a compiler may
    tell apart, though the program cannot.
    """
    digest = zlib.crc32(code.co_code, code.co_firstlineno)
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            digest = zlib.crc32(fingerprint(constant).to_bytes(4, "big"), digest)
        elif type(constant) is not frozenset:  # the order of its repr is that of hashes
            digest = zlib.crc32(repr(constant).encode("utf-8", "replace"), digest)
    for names in (code.co_names, code.co_freevars):
        digest = zlib.crc32(" ".join(names).encode("utf-8", "replace"), digest)
    return digest & 0xFFFFFF


def _cell(snap: Snapshot, value: types.CellType) -> tuple[str, Parts]:
    try:
        contents = value.cell_contents
    except ValueError:
        return "empty", []
    return "", [("", snap.node(contents))]


def _method(snap: Snapshot, value: types.MethodType) -> tuple[str, Parts]:
    # A method's own attribute lookup falls through to its function's, which can be a callable
    # object of the program's.
    return "", [
        (".__self__", snap.node(_bound_to(value))),
        (".__func__", snap.node(_bound_function(value))),
    ]


def _builtin(snap: Snapshot, value: types.BuiltinFunctionType) -> tuple[str, Parts]:
    owner = value.__self__
    # The type alone is asked: isinstance would look at what the owner says of its __class__.
    if owner is None or type(owner) is types.ModuleType:
        return f"{getattr(value, '__module__', '')}.{value.__name__}", []
    if issubclass(type(owner), type):
        return f"{type_name(cast(type, owner))}.{value.__name__}", []
    return value.__name__, [(".__self__", snap.node(owner))]


def _descriptor(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    return f"{type_name(value.__objclass__)}.{value.__name__}", []


def type_name(kind: type) -> str:
    """A class's qualified name, as its type object holds it."""
    return str(type.__dict__["__qualname__"].__get__(kind))


def _partial(snap: Snapshot, value: functools.partial[Any]) -> tuple[str, Parts]:
    return "", [
        (".func", snap.node(value.func)),
        (".args", snap.node(value.args)),
        (".keywords", snap.node(value.keywords)),
        *attributes(snap, value.__dict__.items()),
    ]


def _lru_cache(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # Tolerance: Dynamo documents that it bypasses the cache, so hits are not compared.
    return "", [(".__wrapped__", snap.node(value.__dict__.get("__wrapped__")))]


def _weakref(snap: Snapshot, value: weakref.ref[Any]) -> tuple[str, Parts]:
    referent = value()
    return ("dead", []) if referent is None else ("", [("()", snap.node(referent))])


def _wrapper(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    return "", [(".__func__", snap.node(value.__func__))]


def _cached_property(snap: Snapshot, value: functools.cached_property[Any]) -> tuple[str, Parts]:
    return "", [(".func", snap.node(value.func))]


def _code(snap: Snapshot, value: types.CodeType) -> tuple[str, Parts]:
    return f"{value.co_name} #{fingerprint(value):06x}", []


def _module(snap: Snapshot, value: types.ModuleType) -> tuple[str, Parts]:
    names = value.__dict__
    name = names.get("__name__")
    if names is snap.own_globals or not is_own_module(name):
        return str(name) if type(name) is str else "", []
    return str(name) if type(name) is str else "", [(".__dict__", snap.namespace(names))]


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
    functools.cached_property: _cached_property,
    types.CodeType: _code,
    types.ModuleType: _module,
}
