"""Iterators and views that come from outside."""

import torch


def make():
    def f(x, it, d):
        a = next(it)
        y = x + a
        for v in it:
            y = y + v
            if v == 3:
                break
        for k, v in d:
            y = y + v
        s = set()
        for e in {1, 2, 3}:
            s.add(e * 2)
        z = list(zip(it, "abc"))
        return y, z, sorted(s), next(it, None)

    return f


def calls(fn):
    yield (torch.ones(2), iter([1, 2, 3, 4, 5]), {"a": 1}.items())
    yield (torch.ones(2), (i for i in range(9)), {"a": 1, "b": 3}.items())
    yield (torch.ones(2), iter(range(1, 12)), [(1, 2)])
