"""A captured int varies, then falls below a bound."""

import torch


def make():
    size = 8

    def fn(x):
        return x * 2 if size > 4 else x * 3

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 7
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 2
    yield (torch.ones(3),)
