"""Membership of a constant in a captured list of two ints, each of which changes."""

import torch

ORIGIN = "pytorch/pytorch#153366"
RIGHT = [
    "tensor([21.0, 21.0], float32 [2])",
    "tensor([11.0, 11.0], float32 [2])",
    "tensor([11.0, 11.0], float32 [2])",
    "tensor([11.0, 11.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    pair = [1, 2]

    def step(x):
        return x + (10 if 3 in pair else 20)

    return step


def calls(fn):
    pair = fn.__closure__[0].cell_contents
    for pair[:] in ([1, 2], [4, 3], [3, 5], [3, 7]):
        yield (torch.ones(2),)
