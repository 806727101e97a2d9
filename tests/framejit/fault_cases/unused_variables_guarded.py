"""A free variable that this path does not read is rebound."""

import torch


STEADY = 1


def make():
    fast, unused = True, "a"

    def fn(x):
        return x * 2 if fast else x * len(unused)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[1].cell_contents = "b"
    yield (torch.ones(3),)
