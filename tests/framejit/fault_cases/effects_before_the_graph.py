"""An index that only the data shows to be wrong, after an append."""

import torch


def make():
    log = []

    def fn(table, index):
        log.append("looked up")
        return table[index] * 2

    return fn


def calls(fn):
    yield torch.arange(3.0), torch.tensor([1])
    yield torch.arange(3.0), torch.tensor([7])
