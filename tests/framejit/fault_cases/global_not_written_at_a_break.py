"""A global counter is rebound before a break."""

import torch

count = 0


def make():
    def fn(x):
        global count
        count += 1
        y = x + 1
        torch._dynamo.graph_break()
        return y * count

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
