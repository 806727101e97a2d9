"""The same keyword given by name and by ** must raise."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["({'a': 1, 'b': 2}, tensor([2.0, 2.0], float32 [2]))", "raises TypeError"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    def collect(**keywords):
        return keywords

    def step(x, name):
        return collect(a=1, **{name: 2}), x + 1

    return step


def calls(fn):
    yield torch.ones(2), "b"
    yield torch.ones(2), "a"
