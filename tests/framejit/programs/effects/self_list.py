"""Lists and dicts that hold themselves."""

import torch


def make():
    l = [1, 2]

    def f(x):
        l.append(l)
        y = x + len(l)
        m = []
        m.append(m)
        d = {}
        d["d"] = d
        return y, m, d, l[-1] is l

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
