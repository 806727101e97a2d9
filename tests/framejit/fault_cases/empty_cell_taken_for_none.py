"""A free variable is not bound."""

import torch


def make():
    def fn(x):
        y = x + 1
        try:
            late
        except NameError:
            y = y * 5
        return y

    if fn is None:
        late = 1
    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
