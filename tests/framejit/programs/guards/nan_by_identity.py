"""Containers find nan by identity."""

import torch

nan = float("nan")


def make():
    def f(x, v):
        d = {v: 1}
        return x + 1, nan in d, nan in [v], v in [nan], d.get(nan), v == v, v is nan, [v] == [nan]

    return f


def calls(fn):
    yield (torch.ones(2), nan)
    yield (torch.ones(2), float("nan"))
    yield (torch.ones(2), nan)
