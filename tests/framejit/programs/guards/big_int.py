"""Ints around 64 bits."""

import torch


def make():
    def f(x, n):
        m = n * n
        return x + 1, m, m > 5, n + 1, (n << 3) if n > 0 else 0

    return f


def calls(fn):
    for k in (1, 2, 2**62, 2**63, -(2**63), 2**63 - 1, 2**64, 3):
        yield (torch.ones(2), k)
