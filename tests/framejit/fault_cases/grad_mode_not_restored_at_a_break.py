"""A break inside no_grad, and a product after it."""

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
