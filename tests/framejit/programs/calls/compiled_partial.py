"""A partial is compiled."""

import functools
import torch


def make():
    def f(a, x, b=1):
        return a * x + b

    return functools.partial(f, 3, b=2)


def calls(fn):
    yield (torch.ones(2),)
