"""A membership test on a dict of which only other keys change."""

import torch

ORIGIN = "pytorch/pytorch#143670"
STEADY = 2
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "recompile"}}


def make():
    def step(x, table, key):
        return x + (1 if key in table else 2)

    return step


def calls(fn):
    for table in ({1: "a"}, {1: "a", 2: "b"}, {1: "a", 3: "b"}, {1: "a", 4: "b", 5: 1}):
        yield torch.ones(2), table, 1
