"""An argument that requires gradients."""

import torch


def make():
    def fn(x):
        return x + 2 if x.requires_grad else x + 1

    return fn


def calls(fn):
    yield (torch.ones(3, 3),)
    yield (torch.ones(3, 3, requires_grad=True),)
