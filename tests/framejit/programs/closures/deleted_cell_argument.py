"""An argument in a cell is deleted and bound again."""

import torch


def make():
    def f(x, a):
        def g():
            return a

        y = x + g()
        del a
        print("d")
        try:
            g()
        except NameError as e:
            r = type(e).__name__
        a = 5
        return y + g(), r, g

    return f


def calls(fn):
    yield (torch.ones(2), 1)
    yield (torch.ones(2), 2)
