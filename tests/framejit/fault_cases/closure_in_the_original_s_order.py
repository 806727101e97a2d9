"""A resume function reads a free variable a and a cell z."""

import torch


def make():
    a = 2.0

    def fn(x):
        z = 3.0
        torch._dynamo.graph_break()

        def inner():
            return x * z

        return inner() + a

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
