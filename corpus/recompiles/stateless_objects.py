"""Modules alike but for an object without state, one a module."""

import torch

ORIGIN = "pytorch/pytorch#163329"
STEADY = 2
RIGHT = [
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "recompile"}}


class Double:
    def __call__(self, x):
        return x * 2


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.double = Double()

    def forward(self, x):
        return self.double(x) + 1


layers = [Layer() for _ in range(5)]


def make():
    k = 1

    def step(layer, x):
        return layer(x) + k

    return step


def calls(fn):
    for layer in layers:
        yield layer, torch.ones(2)
