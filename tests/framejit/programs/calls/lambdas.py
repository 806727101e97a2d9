"""Lambdas with every kind of parameter."""

import torch


def make():
    fs = [lambda x: x + 1, lambda x: x + 2]

    def f(x):
        g = lambda a, *b, k=3, **c: a * k + len(b) + len(c)
        return g(x, 1, 2, q=1) + fs[0](x) + fs[1](x) + (lambda: x)()

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
