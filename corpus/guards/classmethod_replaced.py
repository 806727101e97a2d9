"""A class method of a captured class is replaced between calls."""

import torch

ORIGIN = "pytorch/pytorch#182741"
RIGHT = ["tensor([2.0, 2.0], float32 [2])", "tensor([6.0, 6.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.15": "guards"}}


class Steps:
    @classmethod
    def add(cls, x):
        return x + 1


def make():
    steps = Steps

    def step(x):
        return steps.add(x)

    return step


def calls(fn):
    yield (torch.ones(2),)
    Steps.add = classmethod(lambda cls, x: x + 5)
    yield (torch.ones(2),)
