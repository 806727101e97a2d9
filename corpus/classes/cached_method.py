"""functools.lru_cache on a method of an object that is made inside the function."""

import functools

import torch

ORIGIN = "pytorch/pytorch#155841"
KW = {"fullgraph": True}
RIGHT = ["tensor([8.0, 8.0], float32 [2])", "tensor([8.0, 8.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "survival", "torch>=2.13": "behaviour"}}


class Sum:
    def __init__(self, value):
        self.value = value

    @functools.lru_cache
    def add(self, k):
        self.value += k
        return self.value


def make():
    base = 4

    def step(x):
        total = Sum(base)
        total.add(3)
        total.add(3)
        return x + total.value

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
