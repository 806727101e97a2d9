"""Objects of the standard library and of torch that hold a program's state behind C or methods.

Only exact types, so that no method of a subclass of the program's runs.
"""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot


def _reduced_date(snap: Snapshot, value: Any) -> tuple[str, Parts]:
    # Not repr, which asks a tzinfo of the program's for its own.
    return "", [
        (f"state {index}", snap.node(part)) for index, part in enumerate(value.__reduce__()[1])
    ]


def _pattern(snap: Snapshot, value: re.Pattern[Any]) -> tuple[str, Parts]:
    return f"{value.pattern!r} {value.flags}", []


def _random(snap: Snapshot, value: random.Random) -> tuple[str, Parts]:
    return f"{hash(value.getstate()):x}", []


def _optimizer(snap: Snapshot, value: torch.optim.Optimizer) -> tuple[str, Parts]:
    held = value.__dict__
    return "", [(f".{name}", snap.node(held.get(name))) for name in ("state", "param_groups")]


_OPTIMIZERS = [
    kind
    for kind in vars(torch.optim).values()
    if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer)
]

DESCRIBERS: dict[type, Callable[[Snapshot, Any], tuple[str, Parts]]] = {
    array.array: lambda snap, value: (array.array.__repr__(value), []),
    memoryview: lambda snap, value: (f"{value.format} {value.shape} {value.tobytes()!r}", []),
    decimal.Decimal: lambda snap, value: (decimal.Decimal.__repr__(value), []),
    fractions.Fraction: lambda snap, value: (f"{value.numerator}/{value.denominator}", []),
    datetime.date: _reduced_date,
    datetime.time: _reduced_date,
    datetime.datetime: _reduced_date,
    datetime.timedelta: _reduced_date,
    re.Pattern: _pattern,
    random.Random: _random,
    **dict.fromkeys(_OPTIMIZERS, _optimizer),
}
