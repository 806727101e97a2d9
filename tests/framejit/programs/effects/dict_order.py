"""Order of a dict that loses and gains keys."""

import torch

D = {"a": 1, "b": 2}


def make():
    def f(x):
        r = list(D)
        v = D.pop("a", None)
        D["a"] = (v or 0) + 1
        D["c"] = x
        del D["c"]
        D.update(z=1)
        D.setdefault("q", []).append(1)
        return x + len(D), r, list(D.items())

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
    D.pop("b")
    D["b"] = 2
    yield (torch.ones(2),)
    D.clear()
    yield (torch.ones(2),)


def observe(fn):
    return D
