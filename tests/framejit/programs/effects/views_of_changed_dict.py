"""Views of a dict follow what is done to it."""

import torch


def make():
    def f(x):
        d = {"a": 1, "b": 2}
        k = d.keys()
        v = d.items()
        n0 = len(k)
        d["c"] = 3
        n = len(k)
        del d["a"]
        d["z"] = 4
        return x + n, list(k), n0, list(v), "z" in k

    return f


def calls(fn):
    yield (torch.ones(2),)
