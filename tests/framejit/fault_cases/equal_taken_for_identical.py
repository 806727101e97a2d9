"""A nan is compared with itself by `is`."""

import torch


def make():
    one = other = float("nan")

    def fn(x):
        if one is other:
            return x * 2
        return x * 3

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
