"""An attribute that is deleted and set again is the last."""

import torch


class C:
    pass


def make():
    def f(x):
        o = C()
        o.a = 1
        o.b = 2
        del o.a
        o.a = 3
        return x + 1, o

    return f


def calls(fn):
    yield (torch.ones(2),)
