"""What users call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from framejit import _native as native
from framejit import compiler
from framejit.backends import Backend, resolved

_regions = 0


def compile(function: Any = None, *, backend: str | Backend = "eager") -> Any:
    """A version of a function, method or module whose frames are compiled.

    ``backend`` is a name that torch.compile knows, or a callable of graph module and example
    inputs.  Without ``function``, a decorator.  Raises ValueError for an unknown backend.
    """
    chosen = resolved(backend)
    if function is None:
        return functools.partial(compile, backend=backend)
    if isinstance(function, torch.nn.Module):
        return CompiledModule(function, chosen)
    return _in_region(function, compiler.Compiler(chosen))


def _in_region(function: Callable[..., Any], compile_frame: compiler.Compiler) -> Any:
    @functools.wraps(function)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        before = native.set_callback(compile_frame)
        _enter()
        try:
            return function(*args, **kwargs)
        finally:
            _leave()
            native.set_callback(before)

    native.skip(compiled.__code__, "framejit's own")  # type: ignore[attr-defined]
    return compiled


def _enter() -> None:
    global _regions
    _regions += 1
    if _regions == 1:
        native.enable()


def _leave() -> None:
    global _regions
    _regions -= 1
    if _regions == 0:
        native.disable()


class CompiledModule(torch.nn.Module):  # type: ignore[misc]
    """A module whose calls are compiled; its parameters are those of the module it wraps."""

    def __init__(self, module: torch.nn.Module, backend: str | Backend) -> None:
        super().__init__()
        self._orig_mod = module
        self.__dict__["_compiled"] = _in_region(_caller(module), compiler.Compiler(backend))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["_compiled"](*args, **kwargs)


def _caller(module: torch.nn.Module) -> Callable[..., Any]:
    # A function of its own, so that a module of torch.nn is captured whole.
    made: dict[str, Any] = {}
    text = (
        "def of(module):\n"
        "    def call_module(*args, **kwargs):\n"
        "        return module(*args, **kwargs)\n"
        "    return call_module\n"
    )
    exec(builtins_compile(text, "<a compiled module>", "exec"), made)
    caller: Callable[..., Any] = made["of"](module)
    return caller


def builtins_compile(text: str, name: str, mode: str) -> Any:
    """CPython's own ``compile``."""
    import builtins

    return builtins.compile(text, name, mode)


def graph_break() -> None:
    """Ends the graph here: what follows is captured as another one."""


def reset() -> None:
    """Forget all that was compiled."""
    compiler.reset()


def on_code(callback: Callable[[CodeType, CodeType], object]) -> Callable[[], None]:
    """Have ``callback(original, made)`` called for every code object that is made.

    A resume function is told of when it is made, as its own original, and again when it is
    compiled.  Returns what ends it.
    """

    def listen(event: compiler.Event) -> None:
        if isinstance(event, compiler.Compiled):
            callback(event.code, event.made)
            for resume in event.resumes:
                callback(resume, resume)

    def end() -> None:
        compiler.listeners.remove(listen)

    compiler.listeners.append(listen)
    return end
