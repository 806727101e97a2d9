"""Enum members are looked up in a captured set and added to it."""

import enum

import torch

ORIGIN = "pytorch/pytorch#112338"
RIGHT = [
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([5.0, 5.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13,<2.15": "behaviour"}}


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


def make():
    seen = {Mode.FAST}

    def step(x, mode):
        x = x + (1 if mode in seen else 2)
        seen.add(mode)
        return x + len(seen)

    return step


def calls(fn):
    for mode in (Mode.FAST, Mode.SLOW, Mode.SLOW):
        yield torch.ones(2), mode
