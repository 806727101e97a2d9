"""Arithmetic on an int that varies."""

import torch


def make():
    def f(x, n):
        y = x * n + n // 2 - n % 3
        if n > 3:
            y = y + 1
        if n:
            y = y * 2
        l = [i for i in range(n)] if n == 4 else []
        return (
            y,
            n * 2 + 1,
            -n,
            n**2,
            n / 2,
            str(n),
            l,
            n < 5,
            (n, n + 1),
            x[:n] if n > 0 else x,
            n & 1,
            ~n if type(n) is int else 0,
            abs(n),
            min(n, 3),
        )

    return f


def calls(fn):
    for k in (1, 2, 3, 4, 5, 6, -7, 0):
        yield (torch.ones(8), k)
