"""Two names lead to two lists, then to one."""

import torch


def make():
    one, other = [1.0], [1.0]

    def fn(x):
        one[0] = 5.0
        return x * other[0]

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = fn.__closure__[1].cell_contents = [1.0]
    yield (torch.ones(3),)
