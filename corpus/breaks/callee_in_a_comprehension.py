"""A list comprehension calls a function that writes a nonlocal and breaks on one element."""

import torch

ORIGIN = "pytorch/pytorch#171822"
RIGHT = ["tensor([17.0, 17.0], float32 [2])", "tensor([41.0, 41.0], float32 [2])"]


def make():
    total = 0

    def add(i):
        nonlocal total
        total += i
        if i == 2:
            torch._dynamo.graph_break()
        return i + total

    def step(x):
        return x + sum([add(i) for i in range(4)])

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
