"""A counter in a nonlocal."""

import torch


def make():
    count = 0

    def fn(x):
        nonlocal count
        count = count + 1
        return x + count

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
