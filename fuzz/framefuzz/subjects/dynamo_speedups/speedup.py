"""What a speed-up is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Speedup:
    """One thing left out or shortened: its name; what applies it and says if it was there."""

    name: str
    apply: Callable[[], bool]
