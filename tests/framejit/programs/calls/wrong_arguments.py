"""Calls whose arguments do not fit."""

import torch


def g(a, b=1, *, c, **k):
    return a + b + c


def make():
    def f(x, n):
        x = x + 1
        try:
            if n == 0:
                return g(x)
            if n == 1:
                return g(x, 1, 2, c=3)
            if n == 2:
                return g(x, a=1, c=3)
            if n == 3:
                return g(x, c=3, z=4)
            if n == 4:
                return g(*[x], **{"c": 2}, **{"c": 3})
            if n == 5:
                return g(x, c=1, **{1: 2})
            if n == 6:
                return 5(x)
            if n == 7:
                return g()
        except TypeError as e:
            return x, str(e)

    return f


def calls(fn):
    for i in range(8):
        yield (torch.ones(1), i)
