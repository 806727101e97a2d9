"""A lambda is compiled."""

import torch


def make():
    k = 4
    return lambda x, *a, b=2, **c: (x + k, print(a, c), x * b)[2]


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2), 1)
