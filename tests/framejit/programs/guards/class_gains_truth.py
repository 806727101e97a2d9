"""A class gains, and changes, its truth."""

import torch


class C:
    pass


def make():
    o = C()

    def f(x):
        y = x + 1
        if o:
            y = y * 2
        return y

    return f


def calls(fn):
    yield (torch.ones(2),)
    C.__bool__ = lambda s: False
    yield (torch.ones(2),)
    C.__len__ = lambda s: 1
    del C.__bool__
    yield (torch.ones(2),)
