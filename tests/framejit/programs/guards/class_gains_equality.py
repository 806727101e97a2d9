"""A class gains an __eq__."""

import torch


class C:
    pass


def make():
    o, p = C(), C()

    def f(x):
        y = x + 1
        if o == p:
            y = y * 2
        return y

    return f


def calls(fn):
    yield (torch.ones(2),)
    C.__eq__ = lambda s, o: True
    yield (torch.ones(2),)
