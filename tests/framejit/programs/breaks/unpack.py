"""Unpacking of every kind, right and wrong."""

import torch


def make():
    def f(x):
        a, (b, *c), d = x, [1, 2, 3], print("u")
        e, *g = (i for i in range(4))
        h, i = torch.ones(2) + x
        try:
            j, k = [1]
        except ValueError as err:
            print(err)
        try:
            j, k = [1, 2, 3]
        except ValueError as err:
            print(err)
        try:
            j, k = 5
        except TypeError as err:
            print(err)
        (l := [0])[0], m = 5, 6
        n = o = []
        n += [1]
        x[0], l[0] = 3.0, 4
        x[:1] += 2
        return a, b, c, e, g, h, i, l, m, o

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
