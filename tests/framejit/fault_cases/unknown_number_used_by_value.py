"""A captured int varies, and is formatted."""

import torch


def make():
    size = 8

    def fn(x):
        return x * 2, str(size)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 7
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 6
    yield (torch.ones(3),)
