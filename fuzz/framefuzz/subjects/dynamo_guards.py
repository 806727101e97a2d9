"""Asking Dynamo's cache entries, before a call, how each would judge it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torch._dynamo import eval_frame

from framefuzz.subjects import printed_guards
from framefuzz.trace import CodeMade, EntryCheck

_ENTRIES: Callable[[types.CodeType], list[Any]] | None = getattr(
    eval_frame, "_debug_get_cache_entry_list", None
)


def entries_of(code: types.CodeType | None) -> list[Any]:
    """The cache entries of a code object, in the order in which they are tried."""
    if code is None or _ENTRIES is None:
        return []
    return list(_ENTRIES(code))


def check_entries(
    entries: list[Any],
    fn: Callable[..., Any],
    arguments: tuple[Any, ...],
    codes: list[CodeMade],
) -> list[EntryCheck]:
    """How each entry judges a call of ``fn``: fast check, explaining check, printed conditions.

    Empty where the torch version has no guard manager to ask (2.3), where there is no entry, or
    where the arguments do not fit the signature.
    """
    if not entries or not hasattr(entries[0], "guard_manager"):
        return []
    frame_locals = bind(fn, arguments)
    if frame_locals is None:
        return []
    checks = []
    for index, entry in enumerate(entries):
        manager = entry.guard_manager
        if not getattr(manager, "code_parts", None):
            # What an entry depends on has died: it has no guards left, and refuses.
            continue
        fast = bool(manager.check(frame_locals))
        explained = manager.check_verbose(frame_locals)
        printed, failed = printed_guards.evaluate(
            manager.code_parts, frame_locals, manager.global_scope, manager.closure_vars
        )
        parts = explained.verbose_code_parts
        checks.append(
            EntryCheck(
                index,
                fast,
                bool(explained.result),
                printed,
                failed,
                str(parts[0]).partition("  # ")[0].strip() if parts else "",
                next((made.call for made in codes if made.made is entry.code), -1),
            )
        )
    return checks


def bind(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any] | None:
    """The locals of ``fn``'s frame when it is entered: arguments and free variables by name.

    None where the call does not fit the signature.  Written out rather than taken from inspect,
    which would follow ``__wrapped__`` and ``__signature__`` to other functions.
    """
    # By exact type: isinstance would ask a callable object for its __class__.
    if type(fn) is types.MethodType:
        arguments = (fn.__self__, *arguments)
        fn = fn.__func__
    if type(fn) is not types.FunctionType:
        return None
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount]
    bound: dict[str, Any] = dict(zip(names, arguments, strict=False))
    defaults = fn.__defaults__ or ()
    # The last default belongs to the last name; a program can set more than there are names.
    for name, value in zip(reversed(names), reversed(defaults), strict=False):
        bound.setdefault(name, value)
    last = code.co_argcount + code.co_kwonlyargcount
    for name in code.co_varnames[code.co_argcount : last]:
        if name in (fn.__kwdefaults__ or {}):
            bound[name] = (fn.__kwdefaults__ or {})[name]
    extra = arguments[len(names) :]
    if code.co_flags & 0x04:  # CO_VARARGS
        bound[code.co_varnames[last]] = extra
        last += 1
    elif extra:
        return None
    if code.co_flags & 0x08:  # CO_VARKEYWORDS
        bound[code.co_varnames[last]] = {}
        last += 1
    if any(name not in bound for name in code.co_varnames[:last]):
        return None
    for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
        try:
            bound[name] = cell.cell_contents
        except ValueError:  # an empty cell is an unbound name
            continue
    return bound
