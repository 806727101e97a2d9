"""A function makes two cells."""

import torch


def make():
    def fn(x):
        a, b = 3.0, 2.0

        def inner():
            nonlocal a
            a = a + 1.0
            return x * a - b

        y = inner()
        torch._dynamo.graph_break()
        return y + inner()

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
