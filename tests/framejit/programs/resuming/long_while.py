"""A while that depends on data, 2,000 times."""

import torch


def make():
    def f(x, n):
        while x.sum() < n:
            x = x + 1
        return x

    return f


def calls(fn):
    yield (torch.ones(1), 3)
    yield (torch.ones(1), 2000)
