"""An AttributeError passes a finally in the callee and is caught by the caller."""

import torch

ORIGIN = "pytorch/pytorch#174166"
RIGHT = [
    "(tensor([12.0, 12.0], float32 [2]), 'AttributeError')",
    "(tensor([123.0, 123.0], float32 [2]), 'AttributeError')",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "survival"}}


def make():
    n = 0

    def callee(x):
        nonlocal n
        try:
            return x.no_such_attribute
        finally:
            n += 1

    def step(x):
        nonlocal n
        try:
            return callee(x)
        except AttributeError as error:
            n += 10
            return x + n, type(error).__name__
        finally:
            n += 100

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
