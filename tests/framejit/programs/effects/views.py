"""Views and aliases of inputs, written to."""

import torch


def make():
    def f(a, b):
        a.add_(1)
        b.mul_(2)
        c = a.view(-1)
        c[0] = 9
        a += b
        return a + b, c, a

    return f


def calls(fn):
    x = torch.arange(4.0)
    yield (x, x)
    yield (x, x[:])
    yield (x, x.clone())
    yield (x[1:], x[:-1])
    yield (x.expand(2, 4).clone(), x)
