"""The list of a string's parts is appended to after a break."""

import torch


def make():
    def fn(x):
        names = "a b".split()
        y = x + 1
        torch._dynamo.graph_break()
        names.append("c")
        return y * len(names)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
