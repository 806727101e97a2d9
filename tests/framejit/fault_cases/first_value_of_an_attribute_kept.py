"""An attribute is set twice."""

import torch


class State:
    def __init__(self):
        self.mean = None


def make():
    state = State()

    def fn(x):
        state.mean = x + 1
        state.mean = state.mean * 3
        return x * 2

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
