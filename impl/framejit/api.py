"""What users call."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from framejit import _native as native
from framejit import compiler
from framejit.backends import Backend, resolved


def compile(function: Any = None, *, backend: str | Backend = "eager") -> Any:
    """A version of a function, method or module whose frames are compiled.

    ``backend`` is a name that torch.compile knows, or a callable of graph module and example
    inputs.  Without ``function``, a decorator.  Raises ValueError for an unknown backend, TypeError
    for what is not callable.
    """
    chosen = resolved(backend)
    if function is not None and not callable(function):
        raise TypeError(f"{type(function).__name__} cannot be compiled: it is not callable")
    if function is None:
        return functools.partial(compile, backend=backend)
    if isinstance(function, torch.nn.Module):
        return CompiledModule(function, chosen)
    return _in_region(function, compiler.Compiler(chosen))


def _in_region(function: Callable[..., Any], compile_frame: compiler.Compiler) -> Any:
    @functools.wraps(function)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        before = native.begin(compile_frame)
        try:
            return function(*args, **kwargs)
        finally:
            native.end(before)

    native.skip(compiled.__code__, "framejit's own")  # type: ignore[attr-defined]
    return compiled


class CompiledModule(torch.nn.Module):  # type: ignore[misc]
    """A module whose calls are compiled, and which is the module it wraps in all else.

    Parameters, buffers and submodules are the wrapped module's own, under their own names, so that
    a state dict fits both; attributes are read and written there too.
    """

    def __init__(self, module: torch.nn.Module, backend: str | Backend) -> None:
        super().__init__()
        own = self.__dict__
        for shared in ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"):
            own[shared] = module.__dict__[shared]
        del own["training"]
        own["_orig_mod"] = module
        own["_backend"] = backend
        own["_compiled"] = _in_region(_caller(module), compiler.Compiler(backend))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._compiled(*args, **kwargs)

    def train(self, mode: bool = True) -> CompiledModule:
        """As the wrapped module does it, which may have its own way."""
        self._orig_mod.train(mode)
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ or "_orig_mod" not in self.__dict__:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return dir(self._orig_mod)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledModule, (self._orig_mod, self._backend)

    def _save_to_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._orig_mod._save_to_state_dict(*args, **kwargs)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._orig_mod._load_from_state_dict(*args, **kwargs)


def _caller(module: torch.nn.Module) -> Callable[..., Any]:
    # A function of its own, so that a module of torch.nn is captured whole.
    made: dict[str, Any] = {}
    text = (
        "def of(module):\n"
        "    def call_module(*args, **kwargs):\n"
        "        return module(*args, **kwargs)\n"
        "    return call_module\n"
    )
    exec(builtins.compile(text, "<a compiled module>", "exec"), made)
    caller: Callable[..., Any] = made["of"](module)
    return caller


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
