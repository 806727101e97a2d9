"""A generator as the compiled function is left to CPython."""

import torch


def make():
    def f(x):
        y = x + 1
        got = yield y
        print(got)
        yield y * 2
        return y

    return f


def calls(fn):
    yield (torch.ones(2),)
