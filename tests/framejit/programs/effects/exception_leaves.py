"""Exceptions of many kinds leave the frame in the middle."""

import torch

L = []


def make():
    def f(x, k):
        L.append(k)
        y = x + 1
        L.append(y)
        if k == 1:
            raise ValueError(k)
        if k == 2:
            {}["missing"]
        if k == 3:
            y @ torch.ones(7)
        if k == 4:
            [].pop()
        if k == 5:
            L[100]
        if k == 6:
            None.foo
        if k == 7:
            undefined
        if k == 8:
            1 / 0
        if k == 9:
            assert k == 0, "msg"
        if k == 10:
            raise KeyError
        if k == 11:
            raise RuntimeError("a") from ValueError("b")
        L.append("end")
        return y

    return f


def calls(fn):
    for k in range(12):
        yield (torch.ones(2), k)


def observe(fn):
    return L
