"""A captured list iterator is advanced before and after a break, until it is exhausted."""

import torch

ORIGIN = "pytorch/pytorch#93725"
RIGHT = [
    "tensor([13.0, 13.0], float32 [2])",
    "tensor([35.0, 35.0], float32 [2])",
    "tensor([51.0, 51.0], float32 [2])",
]


def make():
    items = iter([1, 2, 3, 4, 5])

    def step(x):
        first = next(items)
        torch._dynamo.graph_break()
        second = next(items, 0)
        return x + first * 10 + second

    return step


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
