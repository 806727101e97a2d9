"""A loop with a counter and a break in it."""

import torch


def make():
    def fn(x):
        y = x
        for place, scale in enumerate([2.0, 3.0, 5.0]):
            y = y * scale + place
            torch._dynamo.graph_break()
        return y

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
