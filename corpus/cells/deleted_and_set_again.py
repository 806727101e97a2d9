"""A variable in a cell is deleted, missed by a nested function, and set again."""

import torch

ORIGIN = "pytorch/pytorch#189216"
RIGHT = ["tensor([16.0, 16.0], float32 [2])", "tensor([16.0, 16.0], float32 [2])"]


def make():
    def step(x):
        a = x + 1

        def twice():
            return a * 2

        result = twice()
        del a
        try:
            twice()
        except NameError:
            result = result + 10
        a = x
        return result + twice()

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
