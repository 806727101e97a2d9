"""A global function is rebound between calls."""

import torch

ORIGIN = "pytorch/pytorch#108898"
RIGHT = [
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([0.0, 0.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([0.0, 0.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "guards"}}


def up(x):
    return x + 1


def down(x):
    return x - 1


move = up


def make():
    k = 2

    def step(x):
        return move(x) * k

    return step


def calls(fn):
    global move
    for move in (up, down, up, down):
        yield (torch.ones(2),)
