"""A cell is empty, bound, deleted and bound again."""

import torch


def make():
    def f(x, k):
        if k > 1:
            n = 1

        def g():
            return n

        try:
            y = x + g()
        except NameError as e:
            print(type(e).__name__, e)
            y = x
        n = 7
        z = g()
        del n
        try:
            g()
        except NameError as e:
            print(e)
        n = 8
        return y + z, g

    return f


def calls(fn):
    yield (torch.ones(2), 1)
    yield (torch.ones(2), 2)
