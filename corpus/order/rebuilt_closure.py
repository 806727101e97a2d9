"""A nested function over a changing local is rebuilt after a break; three variables out of order."""

import torch

ORIGIN = "pytorch/pytorch#107866"
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([6.0, 6.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "order"}}


def make():
    ks = [1, 2, 3, 2]
    i = 0

    def step(x):
        nonlocal i
        k = ks[i]
        i += 1

        def times(y):
            return y * k

        torch._dynamo.graph_break()
        return times(x) + k

    return step


def calls(fn):
    for _ in range(4):
        yield (torch.ones(2),)
