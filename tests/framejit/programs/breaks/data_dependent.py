"""Branches, loops and assertions that depend on data."""

import torch


def make():
    def f(x):
        y = x * 2
        if y.sum() > 3:
            y = y - 1
        elif y.mean() > 0:
            y = y + 1
        while y.sum() < 10:
            y = y + 1
            if y.max() > 4:
                break
        else:
            y = y * 100
        z = y if y[0] > 2 else x
        assert z.sum() > -100
        b = bool(z.any()) and z.sum().item() > 1
        return z, b, int(z[0]), [v for v in z if v > 2], z.tolist()

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.zeros(2),)
    yield (-torch.ones(2),)
