"""Attributes of a nested and of a captured function, set by name and through __dict__."""

import torch

ORIGIN = "pytorch/pytorch#174570"
RIGHT = [
    "(tensor([10.0, 10.0], float32 [2]), ['j', 'k'], ['m', 'n'])",
    "(tensor([12.0, 12.0], float32 [2]), ['j', 'k'], ['m', 'n'])",
    "(tensor([14.0, 14.0], float32 [2]), ['j', 'k'], ['m', 'n'])",
]
OPEN = {"dynamo": {"torch>=2.13,<2.14": "survival"}}


def make():
    def captured(x):
        return x

    captured.n = 0

    def step(x):
        def nested(y):
            return y

        nested.__dict__["k"] = 3
        nested.j = 4
        captured.n = captured.n + 1
        captured.__dict__["m"] = captured.n * 2
        x = x + nested.k + nested.__dict__["j"] + captured.m
        return x, sorted(nested.__dict__), sorted(captured.__dict__)

    return step


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
