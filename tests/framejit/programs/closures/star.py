"""Star arguments and keywords, passed on."""

import torch


def g(*a, k=1, **kw):
    return sum(a) * k + len(kw) + sum(kw.values())


def make():
    def f(x, *args, **kw):
        l = [x, *args]
        d = {"k": 2, **kw}
        print(len(l))
        return g(*l, **d, z=3), g(x, *args), args, kw

    return f


def calls(fn):
    yield (torch.ones(2), 1, 2)
    yield (torch.ones(2), 1, 2.5)
    yield (torch.ones(2),)
