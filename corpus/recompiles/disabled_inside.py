"""A nested function is made and disabled inside the function in every call."""

import torch

ORIGIN = "pytorch/pytorch#157399"
STEADY = 2
RIGHT = [
    "tensor([9.0, 9.0], float32 [2])",
    "tensor([9.0, 9.0], float32 [2])",
    "tensor([9.0, 9.0], float32 [2])",
    "tensor([9.0, 9.0], float32 [2])",
    "tensor([9.0, 9.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "recompile"}}


def make():
    k = 1

    def step(x):
        @torch._dynamo.disable
        def add(y):
            return y + k

        return add(x * 2) * 3

    return step


def calls(fn):
    for _ in range(5):
        yield (torch.ones(2),)
