"""A float argument in an f-string, once the float is dynamic."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["('2.5', tensor([2.5, 2.5], float32 [2]))", "('4.5', tensor([4.5, 4.5], float32 [2]))"]
OPEN = {"dynamo": {"torch>=2.13,<2.14": "behaviour"}}


def make():
    def step(x, n):
        return f"{n}", x * n

    return step


def calls(fn):
    for n in (2.5, 4.5):
        yield torch.ones(2), n
