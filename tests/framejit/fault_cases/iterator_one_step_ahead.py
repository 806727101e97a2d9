"""A loop over a list with a break in it."""

import torch


def make():
    def fn(x):
        for scale in [2.0, 3.0, 5.0]:
            x = x * scale
            torch._dynamo.graph_break()
        return x

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
