"""An instance whose __class__ is a property that names another class."""

import torch

ORIGIN = "pytorch/pytorch#174050"
RIGHT = ["tensor([12.0, 12.0], float32 [2])", "tensor([12.0, 12.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.13": "behaviour"}}


class Claimed:
    pass


class Pretender:
    @property
    def __class__(self):
        return Claimed


def make():
    pretender = Pretender()

    def step(x):
        x = x + (10 if isinstance(pretender, Claimed) else 20)
        return x + (1 if pretender.__class__ is Claimed else 2)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
