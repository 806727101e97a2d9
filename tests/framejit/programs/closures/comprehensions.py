"""Comprehensions and a generator expression, partly consumed."""

import torch


def make():
    k = 3

    def f(x):
        l = [i * k for i in range(4)]
        s = {i % 2 for i in range(5)}
        d = {i: j for i, j in zip("abc", l)}
        g = (x * i for i in l if i)
        nested = [[x + i + j for j in range(2)] for i in range(2)]
        a = next(g)
        print(a.sum().item())
        return sum(g), l, sorted(s), d, nested, [y for y in [x, a] if y.sum() > 3]

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
