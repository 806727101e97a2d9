"""A with block whose body breaks the graph."""

import torch


class Manager:
    def __init__(self):
        self.left = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.left += 1


def make():
    def fn(x):
        manager = Manager()
        with manager:
            y = x + 1
            torch._dynamo.graph_break()
            y = y * 2
        return y, manager.left

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
