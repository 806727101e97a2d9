"""A function with two defaults."""

import torch


def make():
    def scaled(x, by=2.0, plus=7.0):
        return (x + by) * plus

    def fn(x):
        return scaled(x)

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
