"""A nonlocal counter looked up in a list display, once the counter is dynamic."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = [
    "tensor([1.0, 1.0], float32 [2])",
    "tensor([1.0, 1.0], float32 [2])",
    "tensor([101.0, 101.0], float32 [2])",
    "tensor([1.0, 1.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.13,<2.14": "guards"}}


def make():
    count = 0

    def step(x):
        nonlocal count
        count += 1
        return x + (100 if 3 in [count] else 0)

    return step


def calls(fn):
    for _ in range(4):
        yield (torch.ones(2),)
