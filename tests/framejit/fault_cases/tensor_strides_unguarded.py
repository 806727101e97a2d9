"""An argument with other strides."""

import torch


def make():
    def fn(x):
        return x + 1 if x.is_contiguous() else x + 2

    return fn


def calls(fn):
    yield (torch.ones(3, 3),)
    yield (torch.ones(3, 3).T,)
