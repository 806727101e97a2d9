"""A KeyboardInterrupt is handled."""

import torch


def boom(x):
    raise KeyboardInterrupt


def make():
    def f(x, k):
        y = x + 1
        try:
            if k:
                boom(x)
        except KeyboardInterrupt:
            print("ki")
            return y
        finally:
            print("f")
        return y * 2

    return f


def calls(fn):
    yield (torch.ones(2), 0)
    yield (torch.ones(2), 1)
