"""Functions of one code object and different defaults are passed in turn."""

import torch

ORIGIN = "pytorch/pytorch#178365"
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([12.0, 12.0], float32 [2])",
    "tensor([16.0, 16.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
]


def adder(k):
    def add(x, offset=k):
        return x + offset

    return add


def make():
    scale = 2

    def step(add, x):
        return add(x) * scale

    return step


def calls(fn):
    adders = [adder(0), adder(5), adder(7)]
    for add in (*adders, adders[0]):
        yield add, torch.ones(2)
