"""Iterators written in Python; slots."""

import torch


class S:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class It:
    def __init__(self, n):
        self.n = n
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


def make():
    it = It(5)

    def f(x):
        y = x + 1
        s = S(1)
        s.b = x
        del s.a
        try:
            s.a
        except AttributeError as e:
            m = str(e)
        y = y + x
        for v in It(3):
            y = y + v
        for v in it:
            y = y + v
            if v >= 2:
                break
        for v in It(3):
            y = y + v
            print(v)
        return y, s, m, it.i, [*It(2)], sum(It(3)), 2 in It(4)

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
