"""The graph breaks between the defaults of a function and its annotations."""

import torch


def make():
    def f(x):
        y = x + 1

        def g(a=y, *, k=y * 2) -> print("ann"):
            return a + k

        return g()

    return f


def calls(fn):
    yield (torch.ones(2),)
