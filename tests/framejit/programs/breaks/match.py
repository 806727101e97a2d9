"""match of sequences, mappings and constants, with breaks."""

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
            case 0:
                r = "zero"
            case int(n) if n > 5:
                r = ("big", n)
            case "a" | "b":
                r = "ab"
            case [a, b]:
                r = (a, b)
            case [a, *rest]:
                r = (a, rest)
                print("seq")
            case {"k": k, **others}:
                r = (k, others)
            case P(a=1, b=b):
                print("P")
                r = ("p1", b)
            case P(a, b):
                r = ("p", a, b)
            case None:
                r = None
            case _:
                r = "other"
        return y * 2, r

    return f


def calls(fn):
    for v in (0, 3, 7, "a", [1, 2], (1, 2, 3), {"k": 1, "z": 2}, P(1, 2)):
        yield (torch.ones(2), v)
