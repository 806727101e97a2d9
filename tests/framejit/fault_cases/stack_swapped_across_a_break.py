"""Two operands wait on the stack while the graph breaks."""

import torch


def make():
    def pause(x):
        torch._dynamo.graph_break()
        return x

    def fn(x):
        return x * 2 - (x * 5 - pause(x))

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
