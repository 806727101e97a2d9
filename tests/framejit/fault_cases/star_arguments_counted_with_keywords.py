"""A function with star arguments and a keyword-only one."""

import torch


def make():
    def total(x, *others, by=2.0):
        for other in others:
            x = x + other * by
        return x

    def fn(x):
        return total(x, 1.0, 2.0)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
