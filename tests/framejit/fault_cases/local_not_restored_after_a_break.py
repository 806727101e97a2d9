"""Two arguments change places before a break."""

import torch


def make():
    def fn(x, y):
        x, y = y, x
        torch._dynamo.graph_break()
        return x - 2 * y

    return fn


def calls(fn):
    yield torch.ones(3), torch.zeros(3)
