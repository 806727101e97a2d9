"""What a fork server runs before its first child, so that no child has to do it again.

Much of what a process does in its first compiles it does once: caches fill, tables are built,
CPython specializes torch's own bytecode.  What the server has done, its children inherit: after
eight generated programs a child of 20 took a tenth less CPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.case import Case
from framefuzz.generate import case_for

# A seed that nobody is likely to ask for.
_SEED = 941_083_987

# A compile, a graph break, a resume function, a guard that fails, a recompile with a dynamic int.
_BRIEF = Case(
    "warm",
    '''"""Warm-up."""
import torch

def make():
    count = 0
    def step(x, k):
        nonlocal count
        count += k
        torch._dynamo.graph_break()
        return x * 2 + count
    return step

def calls(fn):
    for k in (1, 2, 3):
        yield (torch.ones(2), k)
''',
    "warm.py",
)


def warm_ups(generated: int) -> Iterator[Case]:
    """A brief program by hand, and so many generated ones."""
    yield _BRIEF
    for index in range(generated):
        yield case_for(_SEED, index)
