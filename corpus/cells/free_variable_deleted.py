"""The function deletes its own free variable: the second call finds the cell empty."""

import torch

ORIGIN = "pytorch/pytorch#189216"
RIGHT = ["tensor([2.0, 2.0], float32 [2])", "raises NameError"]
OPEN = {"dynamo": {"torch>=2.3,<2.15": "vacuous"}}


def make():
    scale = 2

    def step(x):
        nonlocal scale
        result = x * scale
        del scale
        return result

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
