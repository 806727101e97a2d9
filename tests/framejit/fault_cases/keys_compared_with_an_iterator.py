"""A captured dict is gone through."""

import torch


def make():
    scales = {"a": 2.0, "b": 3.0}

    def fn(x):
        for scale in scales.values():
            x = x * scale
        return x

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
