"""A captured 1 becomes True."""

import torch


def make():
    flag = 1

    def fn(x):
        return x + 1, str(flag)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = True
    yield (torch.ones(3),)
