"""An attribute is set before a break."""

import torch


class State:
    def __init__(self):
        self.count = 0


def make():
    state = State()

    def fn(x):
        state.count = state.count + 1
        y = x + 1
        torch._dynamo.graph_break()
        return y * state.count

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
