"""match of classes."""

import torch


class P:
    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


def make():
    def f(x, v):
        y = x + 1
        match v:
            case P(a=1, b=b):
                print("P")
                r = ("p1", b)
            case P(a, b):
                r = ("p", a, b)
            case {"k": k, **others}:
                r = (k, others)
            case None:
                r = None
            case True:
                r = "T"
            case 1.5:
                r = 1.5
            case _:
                r = "other"
        return y * 2, r

    return f


def calls(fn):
    for v in (P(1, 2), P(2, 3), {"k": 3}, None, True, 1, 1.5):
        yield (torch.ones(2), v)
