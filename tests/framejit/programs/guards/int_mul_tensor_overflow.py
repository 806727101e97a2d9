"""Ints that a tensor cannot hold."""

import torch


def make():
    def f(x, n):
        return x + n, x * n

    return f


def calls(fn):
    yield (torch.ones(2, dtype=torch.int8), 1)
    yield (torch.ones(2, dtype=torch.int8), 2)
    yield (torch.ones(2, dtype=torch.int8), 200)
    yield (torch.ones(2), 2**53 + 1)
    yield (torch.ones(2), 2**60)
