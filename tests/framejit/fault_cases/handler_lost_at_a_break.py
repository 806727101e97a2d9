"""The call that breaks the graph raises inside a try."""

import torch


def make():
    def stop():
        torch._dynamo.graph_break()
        raise ValueError("stop")

    def fn(x):
        y = x + 1
        try:
            stop()
        except ValueError:
            y = y * 5
        return y

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
