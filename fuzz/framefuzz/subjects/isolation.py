"""Runs one program so that it finds the process as every program does, and leaves it so.

What a program can leave behind: its output, garbage with finalizers, torch's modes, settings of
compilers, modules that it registered, the environment, warning filters.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import random
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import torch
import torch.utils._device

from framefuzz.case import CASE_MODULE, Case
from framefuzz.observe.observation import (
    autocast_dtype,
    has_saved_hooks,
    is_autocast_cpu_enabled,
    precision,
)
from framefuzz.observe.ownership import is_made_by_hand

_SETTINGS = (
    "torch._dynamo.config",
    "torch._functorch.config",
    "torch._inductor.config",
    "torch.fx.experimental._config",
)


# In the text of a program that could tell when an object dies.
_SEES_DEATH = ("__del__", "weakref", "gc.", "finalize")


_leaves_garbage = False


def leave_garbage() -> None:
    """From now on collect only after programs that could tell; the rest dies with the process.

    For processes that end after a few programs: 3 ms and 1.5 MB a program under torch.compile.
    """
    global _leaves_garbage
    _leaves_garbage = True


class Output(io.StringIO):
    """Takes a program's standard output; a program that closes it closes nothing."""

    def close(self) -> None:
        pass

    def take(self) -> str:
        """What has been written since it was last asked for."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


@contextlib.contextmanager
def isolated(case: Case) -> Iterator[Output]:
    """Run the block with everything as each program finds it; undo afterwards what it changed."""
    output = Output()
    with (
        contextlib.redirect_stdout(output),
        _no_collection(case),
        _modules(case),
        _environment(case),
        _settings(case),
        _modes(),
        warnings.catch_warnings(),
    ):
        yield output


@contextlib.contextmanager
def _no_collection(case: Case) -> Iterator[None]:
    """No automatic garbage collection in the block; what it leaves is collected at its end.

    When a collection happens depends on how much is allocated, so a compiler would change when
    the program's own cycles die.  And what dies later would print into another program's output.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # All that is new is in the youngest generation, unless the program itself collected.
        if any(word in case.source for word in _SEES_DEATH):
            gc.collect(2)
        elif _leaves_garbage:
            gc.freeze()
        else:
            gc.collect(0)
        if enabled:
            gc.enable()


@contextlib.contextmanager
def _modules(case: Case) -> Iterator[None]:
    """Take out modules that the program made, put back those that it replaced.

    What it imported stays: importing a library twice is no clean state either.
    """
    # Only for a program whose text names them: thousands of modules are thousands of pages that
    # a forked child would have to copy.
    before = dict(sys.modules) if "modules" in case.source else None
    try:
        yield
    finally:
        sys.modules.pop(CASE_MODULE, None)
        if before is not None:
            _put_back(before)


def _put_back(before: dict[str, Any]) -> None:
    for name, module in list(sys.modules.items()):
        if name not in before and is_made_by_hand(module):
            del sys.modules[name]
    for name, module in before.items():
        if sys.modules.get(name) is not module:
            sys.modules[name] = module


@contextlib.contextmanager
def _environment(case: Case) -> Iterator[None]:
    """Put back the environment where the program's text names it."""
    before = dict(os.environ) if "environ" in case.source else None
    try:
        yield
    finally:
        if before is not None and os.environ != before:
            os.environ.clear()
            os.environ.update(before)


@contextlib.contextmanager
def _settings(case: Case) -> Iterator[None]:
    """Put back compilers' settings where the program's text names a module of them."""
    modules = [sys.modules[name] for name in _SETTINGS if name in sys.modules]
    before: list[tuple[Any, dict[str, Any]]] = []
    if "config" in case.source:
        before = [(module, _copy_of(module)) for module in modules]
    try:
        yield
    finally:
        for module, settings in before:
            now = _copy_of(module)
            module.load_config({n: v for n, v in settings.items() if now.get(n) is not v})


def _copy_of(module: Any) -> dict[str, Any]:
    # Called shallow_copy_dict before 2.6.
    copy = getattr(module, "get_config_copy", None) or module.shallow_copy_dict
    settings: dict[str, Any] = copy()
    return settings


@contextlib.contextmanager
def _modes() -> Iterator[None]:
    """Start from known modes and seeds, and end with them."""
    # Not torch.manual_seed: it formats a stack for each call, to seed devices that come later.
    torch.default_generator.manual_seed(0)
    random.seed(0)
    recursion = sys.getrecursionlimit()
    threads = torch.get_num_threads()
    torch._C._set_grad_enabled(True)
    try:
        yield
    finally:
        sys.setrecursionlimit(recursion)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        _leave_modes()


def _leave_modes() -> None:
    if torch.utils._device.CURRENT_DEVICE is not None:
        torch.set_default_device(None)
    while torch._C._len_torch_function_stack():
        torch._C._pop_torch_function_stack()
    while torch._C._len_torch_dispatch_stack():
        torch._C._pop_torch_dispatch_stack(None)
    if torch.is_inference_mode_enabled():
        # Inference mode ends with the guard that began it, which the program kept; a guard that
        # is never left stands above it.
        _KEPT.append(torch._C._InferenceMode(False))
    if is_autocast_cpu_enabled():
        _leave_autocast()
    while has_saved_hooks():
        torch._C._autograd._pop_saved_tensors_default_hooks()
    if precision() != "highest":
        torch.set_float32_matmul_precision("highest")
    if autocast_dtype() is not torch.bfloat16:
        _set_autocast_dtype(torch.bfloat16)
    if torch.get_default_dtype() is not torch.float32:
        torch.set_default_dtype(torch.float32)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)
    torch._C._set_grad_enabled(True)


def _set_autocast_dtype(dtype: torch.dtype) -> None:
    try:
        torch.set_autocast_dtype("cpu", dtype)
    except AttributeError:  # before 2.4
        torch.set_autocast_cpu_dtype(dtype)


def _leave_autocast() -> None:
    try:
        torch.set_autocast_enabled("cpu", False)
    except TypeError:  # before 2.4
        torch.set_autocast_cpu_enabled(False)


_KEPT: list[Any] = []
