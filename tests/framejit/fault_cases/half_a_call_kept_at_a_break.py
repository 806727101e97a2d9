"""A called function writes to a list, then breaks the graph."""

import torch


def make():
    log = []

    def note(x):
        log.append("noted")
        torch._dynamo.graph_break()
        return x * 2

    def fn(x):
        return note(x + 1)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
