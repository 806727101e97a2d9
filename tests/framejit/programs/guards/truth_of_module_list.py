"""An empty module list is false."""

import torch


def make():
    m = torch.nn.ModuleList([])

    def f(x):
        y = x + 1
        if m:
            return y * 2
        return y

    return f


def calls(fn):
    yield (torch.ones(2),)
