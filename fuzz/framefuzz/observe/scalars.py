"""Leaves: values without parts, written as exact text."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import torch


def _float(value: float) -> str:
    # repr round-trips every finite float and tells 0.0 from -0.0; nan payloads do not show.
    return float.__repr__(value)


LEAVES: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "None",
    type(Ellipsis): lambda value: "...",
    type(NotImplemented): lambda value: "NotImplemented",
    bool: bool.__repr__,
    int: int.__repr__,
    float: _float,
    complex: complex.__repr__,
    str: str.__repr__,
    bytes: bytes.__repr__,
    range: range.__repr__,
    torch.dtype: repr,
    torch.device: repr,
    torch.layout: repr,
    torch.memory_format: repr,
    # A symbolic number that escapes the compiler is described, never compared or guarded on.
    torch.SymInt: lambda value: "a symbolic int",
    torch.SymFloat: lambda value: "a symbolic float",
    torch.SymBool: lambda value: "a symbolic bool",
    enum.auto: lambda value: "auto()",
}
