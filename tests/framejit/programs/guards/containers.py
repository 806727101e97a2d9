"""Containers of many kinds and lengths."""

import torch


def make():
    def f(x, v):
        y = x + 1
        return y, len(v), v[0] if len(v) else None, list(v), 3 in v

    return f


def calls(fn):
    for v in (
        [1],
        [2],
        (1,),
        [1, 2],
        [],
        {0: 3},
        {0: 3, 3: 1},
        {3: 1, 0: 3},
        range(3),
        "ab",
        [3, x := [1]],
        [None],
        [[1]],
        [torch.ones(1)],
    ):
        yield (torch.ones(2), v)
