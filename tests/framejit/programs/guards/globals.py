"""Globals that appear, change type, hide builtins and disappear."""

import torch


def make():
    def f(x):
        try:
            y = x + GG
        except NameError:
            y = x
        return y, abs(-2)

    return f


def calls(fn):
    yield (torch.ones(2),)
    globals()["GG"] = 3
    yield (torch.ones(2),)
    globals()["GG"] = 4.5
    yield (torch.ones(2),)
    globals()["abs"] = lambda v: 77
    yield (torch.ones(2),)
    del globals()["abs"], globals()["GG"]
    yield (torch.ones(2),)
    import builtins

    old = builtins.abs
    builtins.abs = lambda v: 99
    try:
        yield (torch.ones(2),)
    finally:
        builtins.abs = old
