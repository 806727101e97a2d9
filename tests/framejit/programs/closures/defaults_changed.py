"""Defaults, keyword defaults and code of a captured function change."""

import torch


def make():
    def g(a, b=2, *, c=3):
        return a * b + c

    def f(x):
        return g(x)

    f.g = g
    return f


def calls(fn):
    g = fn.g
    yield (torch.ones(2),)
    g.__defaults__ = (5,)
    yield (torch.ones(2),)
    g.__kwdefaults__ = {"c": 9}
    yield (torch.ones(2),)
    g.__kwdefaults__["c"] = 10
    yield (torch.ones(2),)
    g.__defaults__ = (1, 5)
    yield (torch.ones(2),)
    g.__code__ = (lambda a, b=2, *, c=3: a + b + c).__code__
    yield (torch.ones(2),)
