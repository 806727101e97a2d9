"""A global is rebound."""

import torch

scale = 2.0


def make():
    def fn(x):
        return x * scale

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__globals__["scale"] = 3.0
    yield (torch.ones(3),)
