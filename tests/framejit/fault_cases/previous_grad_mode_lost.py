"""A no_grad is left after a break in it."""

import torch


def make():
    weight = torch.ones(3, requires_grad=True)

    def fn(x):
        with torch.no_grad():
            y = x * weight
            torch._dynamo.graph_break()
            z = y * weight
        return z

    return fn


def calls(fn):
    yield (torch.ones(3),)
