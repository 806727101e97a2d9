"""The second of two equal free variables is rebound."""

import torch


def make():
    first, second = "a", "a"

    def fn(x):
        return x * len(first) - len(second)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[1].cell_contents = "abc"
    yield (torch.ones(3),)
