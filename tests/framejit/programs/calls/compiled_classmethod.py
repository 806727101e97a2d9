"""A class method is compiled."""

import torch


class A:
    n = 2

    @classmethod
    def c(cls, x):
        return x * cls.n

    @staticmethod
    def s(x):
        return x + 1

    def __call__(self, x):
        return self.c(x) + self.s(x)


def make():
    return A.c


def calls(fn):
    yield (torch.ones(2),)
    A.n = 3
    yield (torch.ones(2),)
