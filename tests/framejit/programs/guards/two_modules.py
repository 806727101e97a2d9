"""Functions of another module, whose globals change."""

import types
import torch

M = types.ModuleType("othermod")
exec(
    "n = 1\ndef g(x):\n    global n\n    n += 1\n    return x + n + h(x)\ndef h(x):\n    return x * n\ndef mk():\n    def inner(x): return x + n\n    return inner\n",
    M.__dict__,
)


def make():
    def f(x):
        y = M.g(x) + M.n
        i = M.mk()
        print(M.n)
        return y + i(x), i

    return f


def calls(fn):
    yield (torch.ones(2),)
    M.n = 10
    yield (torch.ones(2),)
    M.h = lambda x: x * 0
    yield (torch.ones(2),)
    M.__dict__["len"] = 3
    yield (torch.ones(2),)


def observe(fn):
    return M.n
