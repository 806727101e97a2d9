"""maxlen of a captured deque is read while the deque fills up."""

from collections import deque

import torch

ORIGIN = "pytorch/pytorch#130554"
RIGHT = [
    "tensor([6.0, 6.0], float32 [2])",
    "tensor([7.0, 7.0], float32 [2])",
    "tensor([7.0, 7.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13": "survival"}}


def make():
    recent = deque([1], maxlen=3)

    def step(x):
        recent.append(2)
        return x + recent.maxlen + len(recent)

    return step


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
