"""The closure of a captured function changes; the function is rebound."""

import torch


def make():
    n = 1

    def g(x):
        return x + n

    def setn(v):
        nonlocal n
        n = v

    h = g

    def f(x):
        return h(x)

    def seth(v):
        nonlocal h
        h = v

    f.s = setn, seth
    return f


def calls(fn):
    yield (torch.ones(2),)
    fn.s[0](5)
    yield (torch.ones(2),)
    fn.s[0](6)
    yield (torch.ones(2),)
    fn.s[0](torch.ones(2))
    yield (torch.ones(2),)
    fn.s[1](lambda x: x * 9)
    yield (torch.ones(2),)
    fn.s[1](torch.sin)
    yield (torch.ones(2),)
    fn.s[1](abs)
    yield (torch.ones(2),)
