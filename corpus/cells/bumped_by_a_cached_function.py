"""functools.cache around a function that bumps a nonlocal: it must run once."""

import functools

import torch

ORIGIN = "pytorch/pytorch#146598"
RIGHT = [
    "tensor([6.0, 6.0], float32 [2])",
    "tensor([6.0, 6.0], float32 [2])",
    "tensor([6.0, 6.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.13": "behaviour"}}


def make():
    runs = 0

    @functools.cache
    def successor(n):
        nonlocal runs
        runs += 1
        return n + 1

    def step(x):
        return x + successor(3) + runs

    return step


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
