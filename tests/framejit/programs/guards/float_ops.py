"""Arithmetic on a float that varies."""

import torch


def make():
    def f(x, n):
        y = x * n + n // 2.0 - n % 3.5
        if n > 3:
            y = y + 1
        if n:
            y = y * 2
        return (
            y,
            n * 2 + 1,
            -n,
            n / 2,
            str(n),
            n < 5,
            (n, n + 1),
            int(n),
            round(n, 1),
            n == n,
            {n: 1} if n == n else 0,
        )

    return f


def calls(fn):
    for k in (1.5, 2.5, 3.25, -0.0, 0.0, 1e300, 1e308):
        yield (torch.ones(2), k)
