"""!= asks __eq__ where there is no __ne__."""

import torch


class B:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v

    __hash__ = None


def make():
    a, b = B(1), B(1)

    def f(x):
        return x * (2 if a != b else 3)

    return f


def calls(fn):
    yield (torch.ones(2),)
