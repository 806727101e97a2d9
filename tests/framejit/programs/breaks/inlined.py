"""Breaks inside inlined methods."""

import torch


class O:
    def __init__(self):
        self.n = 0

    def m(self, x):
        self.n += 1
        y = x + self.n
        print(self.n)
        self.n += 1
        return self.g(y)

    def g(self, x):
        self.n += 1
        torch._dynamo.graph_break()
        return x * self.n


def make():
    o = O()

    def h(x):
        y = x + 1
        r = o.m(y) * 2
        return r

    def f(x):
        z = h(x) + h(x + 1)
        return z + o.n

    f.o = o
    return f


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)


def observe(fn):
    return fn.o.n
