"""A global comes to hide a builtin."""

import torch


def make():
    def fn(x):
        return x * max(2, 3)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__globals__["max"] = min
    yield (torch.ones(3),)
