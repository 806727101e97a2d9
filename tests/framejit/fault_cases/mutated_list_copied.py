"""A list from outside is appended to before a break and after it."""

import torch


def make():
    log = []

    def fn(x):
        kept = log
        kept += ["before"]
        y = x + len(kept)
        torch._dynamo.graph_break()
        kept.append("after")
        return y + 1

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
