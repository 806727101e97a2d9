"""The size of a tensor that is never used changes."""

import torch

ORIGIN = "pytorch/pytorch#131893"
STEADY = 1
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "recompile"}}


def make():
    def step(x, unused):
        alias = unused
        return x * 2

    return step


def calls(fn):
    for size in (4, 6, 8):
        yield torch.ones(2), torch.ones(size)
