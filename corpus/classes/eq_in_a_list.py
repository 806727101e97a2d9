"""Membership of an int in a list of objects that compare equal to it."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["(True, tensor([2.0, 2.0], float32 [2]))", "(True, tensor([2.0, 2.0], float32 [2]))"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    class One:
        def __eq__(self, other):
            return other == 1

    items = [One()]

    def step(x):
        return 1 in items, x + 1

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
