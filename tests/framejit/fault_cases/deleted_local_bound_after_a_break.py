"""An argument is deleted before a break and asked for after it."""

import torch


def make():
    def fn(x, y):
        z = x + y
        del y
        torch._dynamo.graph_break()
        try:
            return z * y
        except UnboundLocalError:
            return z

    return fn


def calls(fn):
    yield torch.ones(3), torch.zeros(3)
