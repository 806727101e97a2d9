"""A return inside try whose finally breaks and writes a nonlocal before and after."""

import torch

ORIGIN = "pytorch/pytorch#103706"
RIGHT = ["tensor([2.0, 2.0], float32 [2])", "tensor([13.0, 13.0], float32 [2])"]


def make():
    n = 0

    def step(x):
        nonlocal n
        try:
            return x * 2 + n
        finally:
            n += 1
            torch._dynamo.graph_break()
            n += 10

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
