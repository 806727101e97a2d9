"""The global of a module that is not in sys.modules changes between calls."""

import types

import torch

ORIGIN = "pytorch/pytorch#181243"
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "survival"}}

SOURCE = """
factor = 1

def scale(x):
    return x * factor
"""
scales = types.ModuleType("scales_by_itself")
exec(SOURCE, scales.__dict__)


def make():
    scale = scales.scale

    def step(x):
        return scale(x) + 1

    return step


def calls(fn):
    for scales.factor in (1, 2, 3):
        yield (torch.ones(2),)
