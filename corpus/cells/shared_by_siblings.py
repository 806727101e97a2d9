"""One nested function writes a cell, another reads it, before and after a break."""

import torch

ORIGIN = "pytorch/pytorch#90286"
RIGHT = ["tensor([738.0, 738.0], float32 [2])", "tensor([738.0, 738.0], float32 [2])"]


def make():
    level = 0

    def write(value):
        nonlocal level
        level = value

    def read():
        return level

    def step(x):
        write(3)
        first = read()
        torch._dynamo.graph_break()
        write(read() + 4)
        return x + first * 10 + read() * 100 + level

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
