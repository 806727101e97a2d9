"""Compiled functions of both compilers inside a compiled one."""

import torch
import framejit


def make():
    @framejit.compile
    def inner(x):
        print("inner")
        return x * 2

    @torch.compile(backend="eager")
    def dyn(x):
        return x + 7

    def f(x):
        y = inner(x) + 1
        z = dyn(y)
        return z + inner(z)

    return f


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
