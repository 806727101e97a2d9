"""Small ints that are one object, or not."""

import torch


def make():
    def f(x, n, m):
        return x + n, n is m

    return f


def calls(fn):
    yield (torch.ones(2), 5, 5)
    yield (torch.ones(2), 6, 5)
    yield (torch.ones(2), 5, 5)
    yield (torch.ones(2), 7, 8)
