"""Static and class methods of a captured instance's class are replaced between calls."""

import torch

ORIGIN = "pytorch/pytorch#182741"
RIGHT = [
    "tensor([1212.0, 1212.0], float32 [2])",
    "tensor([1313.0, 1313.0], float32 [2])",
    "tensor([3333.0, 3333.0], float32 [2])",
    "tensor([-7777.0, -7777.0], float32 [2])",
    "tensor([-99687.0, -99687.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.15": "guards"}}


class Steps:
    k = 1

    @staticmethod
    def plain(x):
        return x + 1

    @classmethod
    def scaled(cls, x):
        return x * cls.k


def make():
    steps = Steps()

    def step(x):
        of_instance = steps.plain(x) + steps.scaled(x) * 10
        return of_instance + Steps.plain(x) * 100 + Steps.scaled(x) * 1000

    return step


def calls(fn):
    yield (torch.ones(2),)
    Steps.plain = staticmethod(lambda x: x + 2)
    yield (torch.ones(2),)
    Steps.scaled = classmethod(lambda cls, x: x * 3)
    yield (torch.ones(2),)
    Steps.k = 9
    Steps.scaled = classmethod(lambda cls, x: x - cls.k)
    yield (torch.ones(2),)
    Steps.__dict__["scaled"].__func__.__code__ = (lambda cls, x: x - 100).__code__
    yield (torch.ones(2),)
