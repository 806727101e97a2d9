"""Attributes, methods, properties and slots of instances and classes change."""

import torch


class C:
    k = 1

    def m(self, x):
        return x + self.k

    @property
    def p(self):
        return self.k * 10

    def __getattr__(self, n):
        return 1000 if n == "dyn" else object.__getattribute__(self, n)


class D(C):
    __slots__ = ("s",)


def make():
    c = D()
    c.s = 1

    def f(x):
        return c.m(x) + c.p + c.s + c.dyn

    f.c = c
    return f


def calls(fn):
    c = fn.c
    yield (torch.ones(2),)
    c.k = 5
    yield (torch.ones(2),)
    del c.k
    yield (torch.ones(2),)
    C.k = 7
    yield (torch.ones(2),)
    D.k = 8
    yield (torch.ones(2),)
    D.m = lambda s, x: x * 2
    yield (torch.ones(2),)
    c.m = lambda x: x * 3
    yield (torch.ones(2),)
    C.p = property(lambda s: 3)
    yield (torch.ones(2),)
    c.s = 9
    yield (torch.ones(2),)
    c.dyn = 2
    yield (torch.ones(2),)
    del c.s
    try:
        yield (torch.ones(2),)
    except GeneratorExit:
        raise

    class E(C):
        s = 4
        p = 1

    c2 = E()
    fn.c.__class__
    yield (torch.ones(2),)
