"""Scalars of every type, that compare equal or not."""

import torch


def make():
    def f(x, k):
        y = x + 1
        if k is None:
            return y
        if isinstance(k, str):
            return y, k + "a", k.upper()
        return y * k, type(k).__name__, k == 1, bool(k), repr(k)

    return f


def calls(fn):
    for k in (
        1,
        True,
        1.0,
        0,
        False,
        0.0,
        -0.0,
        float("nan"),
        float("inf"),
        2**70,
        None,
        "a",
        "b",
        3,
        4,
        1,
    ):
        yield (torch.ones(2), k)
