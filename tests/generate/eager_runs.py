"""Running a case under eager CPython: what each call gave, for asserts."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import torch

from framefuzz.case import Case, instantiate


def run_eagerly(case: Case) -> list[Any]:
    """What each call returned, with printing swallowed; what a call raises is raised."""
    program = instantiate(case)
    results = []
    for arguments in program.calls():
        with contextlib.redirect_stdout(io.StringIO()):
            results.append(program.fn(*arguments))
        torch.set_grad_enabled(True)
    return results


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in a returned value, in tuples and lists too."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors_in(part)


def numbers_in(value: Any) -> Iterator[int | float]:
    """The Python numbers in a returned value, in tuples, lists and dicts too."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, dict):
        yield from numbers_in(list(value.values()))
