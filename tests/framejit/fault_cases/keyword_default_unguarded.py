"""A called function gets another default for a keyword."""

import torch


def scaled(x, *, by=2.0):
    return x * by


def make():
    def fn(x):
        return scaled(x)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__globals__["scaled"].__kwdefaults__["by"] = 3.0
    yield (torch.ones(3),)
