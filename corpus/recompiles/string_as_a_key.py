"""A string changes that only becomes a key of a captured dict."""

import torch

ORIGIN = "pytorch/pytorch#167596"
STEADY = 2
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3": "recompile"}}


def make():
    seen = {}

    def step(name, x):
        seen[name] = 0
        return x + 1

    return step


def calls(fn):
    for name in "abcde":
        yield name, torch.ones(2)
