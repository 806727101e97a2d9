"""What a builtin picks out or puts in order is the very object that it was given."""

import torch


class Missing(AttributeError):
    """A kind of AttributeError."""


class Asking:
    """Has an attribute that says in its own way that it is not there."""

    @property
    def weight(self):
        raise Missing("weight")


def make():
    rows = [[3], [1], [2]]
    frozen = frozenset([1, 2])
    asking = Asking()

    def fn(x):
        nonlocal rows
        ordered = sorted(rows)
        ordered[0].append(9)
        min(rows).append(7)
        max(rows, default=None).append(8)
        max(ordered[0], rows[0]).append(6)
        x = x + len(rows)
        return (
            x,
            ordered,
            frozenset(frozen) is frozen,
            getattr(asking, "weight", 5),
            hasattr(asking, "weight"),
        )

    return fn


def calls(fn):
    yield (torch.ones(1),)
    yield (torch.ones(1),)
