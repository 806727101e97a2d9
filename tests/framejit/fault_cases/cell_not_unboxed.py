"""A called function has a closure of its own."""

import torch


def scaling():
    by = "abc"

    def scaled(x):
        return x * len(by)

    return scaled


scaled = scaling()


def make():
    def fn(x):
        return scaled(x)

    return fn


def calls(fn):
    for _ in range(10):
        yield (torch.ones(3),)
