"""A case and a judgement of it, as the campaign hands them to the store."""

from __future__ import annotations

from typing import Any

import pytest

from framefuzz.case import Case
from framefuzz.trace import Divergence

SOURCE = '''\
"""A counter in a cell."""
import torch


def make():
    count = 0

    def step(x):
        nonlocal count
        count += 1
        return x + count

    return step


def calls(fn):
    yield (torch.ones(2),)
'''


@pytest.fixture
def case() -> Case:
    return Case("p7", SOURCE, "p7.py")


def judgement_of(*divergences: Divergence) -> dict[str, Any]:
    """The part of a judgement's JSON form that the store reads."""
    return {
        "divergences": [
            {
                "oracle": d.oracle,
                "call": d.call,
                "path": d.path,
                "eager": d.eager,
                "subject": d.subject,
                "kind": d.kind,
                "facts": list(d.facts),
                "note": d.note,
                "signature": d.signature,
            }
            for d in divergences
        ]
    }


@pytest.fixture
def judgement() -> dict[str, Any]:
    """One event with the signature ``cells-1``, reported by two oracles."""
    return judgement_of(
        Divergence("behaviour", 1, "cells(count)", "2", "1", "value", signature="cells-1"),
        Divergence(
            "guards",
            1,
            "cells(count)",
            "2",
            "1",
            "accepted wrongly",
            ("int value",),
            "n",
            "cells-1",
        ),
        Divergence("order", 0, "", "a, b", "b, a", "free variables", signature="order-1"),
    )
