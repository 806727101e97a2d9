"""A class gains an attribute, and a property over an instance attribute."""

import torch


class C:
    pass


def make():
    o = C()
    o.v = 1

    def f(x):
        y = x + 1
        if hasattr(o, "w"):
            y = y * 2
        return y + o.v

    return f


def calls(fn):
    yield (torch.ones(2),)
    C.w = 1
    yield (torch.ones(2),)
    C.v = property(lambda s: 100)
    yield (torch.ones(2),)
