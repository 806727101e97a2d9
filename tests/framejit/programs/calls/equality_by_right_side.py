"""Only the right side defines equality."""

import torch


class A:
    pass


class B:
    def __eq__(self, o):
        return True

    __hash__ = None


def make():
    a, b = A(), B()

    def f(x):
        return x * (2 if a == b else 3), a != b

    return f


def calls(fn):
    yield (torch.ones(2),)
