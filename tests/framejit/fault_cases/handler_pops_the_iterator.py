"""An exception is caught inside a loop that has a break."""

import torch


def make():
    def fn(x):
        for word in ["1", "no number", "3"]:
            try:
                torch._dynamo.graph_break()
                x = x * int(word)
            except ValueError:
                x = x + 7
        return x

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
