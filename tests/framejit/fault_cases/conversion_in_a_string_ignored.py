"""A captured string is formatted by !r."""

import torch


def make():
    word = "it's"

    def fn(x):
        return x * 2, f"{word!r}"

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
