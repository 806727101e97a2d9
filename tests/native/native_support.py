"""The module under test, and a way to look at a frame at its entry.

FRAMEJIT_NATIVE_DIR names a directory that holds a built _native for the Python that runs the
tests, so that one checkout can be tested under every CPython on the machine, without torch and
without installing anything.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from collections.abc import Callable
from typing import Any


def _load() -> types.ModuleType:
    built = os.environ.get("FRAMEJIT_NATIVE_DIR")
    if built is None:
        return importlib.import_module("framejit._native")
    sys.path.insert(0, built)
    module = importlib.import_module("_native")
    sys.modules["framejit._native"] = module
    return module


native = _load()


def replace(original: Callable[..., Any], by: Callable[..., Any], guards: Any = ()) -> Any:
    """Installs an entry that runs the code of one function in frames of another's."""
    return native.install(original.__code__, by.__code__, guards)


def at_entry(
    function: Callable[..., Any], look: Callable[[Any], Any], *args: Any, **kw: Any
) -> Any:
    """Calls `function` with the hook on; returns what `look` made of its Frame, and the result."""
    code = function.__code__
    seen: list[Any] = []

    def callback(frame: Any) -> None:
        if frame.code is code:
            seen.append(look(frame))

    native.enable()
    before = native.set_callback(callback)
    try:
        result = function(*args, **kw)
    finally:
        native.set_callback(before)
        native.disable()
    (looked,) = seen
    return looked, result
