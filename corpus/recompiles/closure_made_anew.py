"""A closure made anew in every call crosses a break: nothing to compile after two calls."""

import torch

ORIGIN = "pytorch/pytorch#107866"
STEADY = 2
RIGHT = [
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
]


def make():
    k = 2

    def step(x):
        def times(y):
            return y * k

        torch._dynamo.graph_break()
        return times(x) + 1

    return step


def calls(fn):
    for _ in range(5):
        yield (torch.ones(2),)
