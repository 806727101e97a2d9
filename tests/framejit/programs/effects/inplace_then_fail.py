"""In-place operations, then one that raises."""

import torch


def make():
    def f(x, i):
        x.add_(1)
        v = x[1:]
        v.mul_(2)
        y = x[i]
        x.sub_(5)
        return y + v

    return f


def calls(fn):
    a = torch.ones(3)
    yield (a, torch.tensor([0]))
    try:
        yield (a, torch.tensor([7]))
    except GeneratorExit:
        raise
    yield (a, torch.tensor([1]))
    yield (a[:2], torch.tensor([1]))
