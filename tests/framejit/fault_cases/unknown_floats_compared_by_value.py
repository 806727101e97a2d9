"""A captured float varies, then falls below a bound."""

import torch


def make():
    limit = 0.8

    def fn(x):
        return x * 2 if limit > 0.5 else x * 3

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 0.7
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 0.2
    yield (torch.ones(3),)
