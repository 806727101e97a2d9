"""A callable instance is compiled."""

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
        print("call")
        self.n += 1
        return self.c(x) + self.s(x) + self.n


def make():
    return A()


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
