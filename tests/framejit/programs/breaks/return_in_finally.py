"""finally that returns."""

import torch


def make():
    def f(x, k):
        try:
            y = x + 1
            print("t")
            if k:
                raise ValueError("lost")
            return y
        except KeyError:
            return 0
        finally:
            print("f")
            if k < 2:
                return x * 5

    return f


def calls(fn):
    yield (torch.ones(2), 0)
    yield (torch.ones(2), 1)
    try:
        yield (torch.ones(2), 2)
    except GeneratorExit:
        raise
