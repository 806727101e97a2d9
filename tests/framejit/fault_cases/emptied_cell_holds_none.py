"""A nonlocal is deleted."""

import torch


def make():
    kept = 2.0

    def fn(x):
        nonlocal kept
        y = x * kept
        del kept
        return y

    return fn


def calls(fn):
    yield (torch.ones(3),)
