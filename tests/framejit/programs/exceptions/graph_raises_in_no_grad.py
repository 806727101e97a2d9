"""An operation raises inside no_grad()."""

import torch


def make():
    def f(x, i):
        try:
            with torch.no_grad():
                y = x + 1
                z = y[i]
        except IndexError:
            z = x
        return z * 2, torch.is_grad_enabled()

    return f


def calls(fn):
    yield (torch.ones(2, requires_grad=True), torch.tensor([0]))
    yield (torch.ones(2, requires_grad=True), torch.tensor([5]))
    yield (torch.ones(2, requires_grad=True), torch.tensor([0]))
