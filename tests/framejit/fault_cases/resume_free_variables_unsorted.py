"""A resume function reads a free variable z and a cell a."""

import torch


def make():
    z = 2.0

    def fn(x):
        a = 3.0
        torch._dynamo.graph_break()

        def inner():
            return x * a

        return inner() + z

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
