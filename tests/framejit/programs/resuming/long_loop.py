"""2,000 breaks in a loop: no deeper than the loop itself."""

import torch


def make():
    def f(x, n):
        for i in range(n):
            x = x + 1
            print(i)
        return x

    return f


def calls(fn):
    yield (torch.ones(2), 3)
    yield (torch.ones(2), 2000)
    yield (torch.ones(2), 2001)
