"""next(iter(list), default), whose default's computation breaks, must take one element."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = [
    "(tensor([2.0, 2.0], float32 [2]), [1, 2, 1])",
    "(tensor([2.0, 2.0], float32 [2]), [1, 2, 1])",
]
OPEN = {"dynamo": {"torch>=2.13,<2.14": "behaviour"}}


def make():
    @torch._dynamo.disable
    def default(value):
        return value

    def step(x, items):
        items += [next(iter(items), default(7))]
        return x + 1, items

    return step


def calls(fn):
    yield torch.ones(2), [1, 2]
    yield torch.ones(2), [1, 2]
