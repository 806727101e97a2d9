"""A captured set loses a member."""

import torch


def make():
    names = {"a", "b"}

    def fn(x):
        return x * 2 if "a" in names else x * 3

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents.discard("a")
    yield (torch.ones(3),)
