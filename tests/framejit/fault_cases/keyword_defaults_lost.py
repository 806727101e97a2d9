"""A function with a keyword-only default lives across a break."""

import torch


def make():
    def fn(x):
        def scaled(value, *, by=3.0):
            return value * by

        y = x + 1
        torch._dynamo.graph_break()
        return scaled(y)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
