"""A function that counts in a nonlocal lives across a break."""

import torch


def make():
    def fn(x):
        count = 1

        def bump():
            nonlocal count
            count += 1

        y = x + count
        torch._dynamo.graph_break()
        bump()
        return y + count

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
