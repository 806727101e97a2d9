"""A deque of two lives across a break."""

import torch
from collections import deque


def make():
    def fn(x):
        last = deque([1.0, 2.0], maxlen=2)
        y = x + 1
        torch._dynamo.graph_break()
        last.append(3.0)
        return y * len(last)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
