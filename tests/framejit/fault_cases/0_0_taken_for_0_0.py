"""A captured 0.0 becomes -0.0."""

import torch


def make():
    divisor = 0.0

    def fn(x):
        return x / divisor

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = -0.0
    yield (torch.ones(3),)
