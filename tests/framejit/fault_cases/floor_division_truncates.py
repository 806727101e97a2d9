"""A negative captured int is halved."""

import torch


def make():
    number = -7

    def fn(x):
        return x * (number // 2)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
