"""Breaks in handlers with values on the stack."""

import sys
import torch


def p(v):
    print(v, sys.exc_info()[0])
    return v


def make():
    def f(x, k):
        y = x + 1
        try:
            if k:
                raise ValueError("q")
            [][0]
        except IndexError:
            z = y * p(3)
        except ValueError as e:
            z = y + p(2) * p(4)
            w = [y, p(e.args), p(5)]
            z = z + len(w)
        return z * p(7)

    return f


def calls(fn):
    yield (torch.ones(2), 0)
    yield (torch.ones(2), 1)
    yield (torch.ones(2), 1)
