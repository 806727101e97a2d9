"""A product inside no_grad."""

import torch


def make():
    weight = torch.ones(3, requires_grad=True)

    def fn(x):
        with torch.no_grad():
            y = x * weight
        return y

    return fn


def calls(fn):
    yield (torch.ones(3),)
