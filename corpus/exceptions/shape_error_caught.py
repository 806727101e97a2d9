"""The function catches an operator's shape error and counts it in a nonlocal."""

import torch

ORIGIN = "pytorch/pytorch#175608"
RIGHT = [
    "tensor([[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]], float32 [2, 3])",
    "tensor([[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]], float32 [2, 3])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "survival"}}


def make():
    hits = 0

    def step(x):
        nonlocal hits
        try:
            return torch.linalg.inv(x)
        except RuntimeError:
            hits += 1
            return x + hits

    return step


def calls(fn):
    yield (torch.ones(2, 3),)
    yield (torch.ones(2, 3),)
