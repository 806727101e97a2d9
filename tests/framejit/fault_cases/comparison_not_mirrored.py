"""A captured int varies, compared with a constant on the left."""

import torch


def make():
    size = 8

    def fn(x):
        return x * 2 if 2 < size else x * 3

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = 7
    for _ in range(10):
        yield (torch.ones(3),)
