"""A captured number is rebound."""

import torch


def make():
    scale = 2.0

    def fn(x):
        return x * scale

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 3.0
    yield (torch.ones(3),)
