"""A method writes a class attribute through type(self), and reads it through self."""

import torch

ORIGIN = "pytorch/pytorch#176851"
RIGHT = ["tensor([22.0, 22.0], float32 [2])", "tensor([44.0, 44.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.13": "behaviour"}}


class Counter:
    n = 0

    def bump(self):
        type(self).n = type(self).n + 1
        return self.n


def make():
    counter = Counter()

    def step(x):
        return x + counter.bump() + counter.bump() * 10

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
