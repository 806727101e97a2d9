"""Changes that the program cannot notice."""

import torch


class C:
    pass


def make():
    c = C()
    c.a = 1
    c.b = 2
    d = {"a": 1, "b": 2}

    def f(x):
        return x + c.a + d["a"]

    f.s = c, d
    return f


def calls(fn):
    c, d = fn.s
    yield (torch.ones(2),)
    c.b = 3
    yield (torch.ones(2),)
    d["b"] = 5
    yield (torch.ones(2),)
    d["c"] = 5
    yield (torch.ones(2),)
    c.z = 5
    C.q = 9
    yield (torch.ones(2),)
    globals()["unrelated"] = 1
    yield (torch.ones(2),)


STEADY = 1
