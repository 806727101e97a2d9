"""A set is joined to a global one, and changes afterwards."""

import torch

S = {1}


def make():
    def f(x):
        t = {2}
        global S
        S |= t
        t.add(9)
        return x + 1, len(t)

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return sorted(S)
