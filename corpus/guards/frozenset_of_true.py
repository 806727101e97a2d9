"""A captured frozenset of 1 is replaced by one of True, then by one of 1.0."""

import torch

ORIGIN = "pytorch/pytorch#134016"
RIGHT = [
    "tensor([21.0, 21.0], float32 [2])",
    "tensor([11.0, 11.0], float32 [2])",
    "tensor([21.0, 21.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3": "guards"}}


def make():
    flags = frozenset({1})

    def step(x):
        return x + sum(10 if flag is True else 20 for flag in flags)

    return step


def calls(fn):
    for member in (1, True, 1.0):
        fn.__closure__[0].cell_contents = frozenset({member})
        yield (torch.ones(2),)
