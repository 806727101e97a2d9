"""A list iterator held across a break sees what is appended after it."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = [
    "(tensor([2.0, 2.0], float32 [2]), [1, 2, 5])",
    "(tensor([2.0, 2.0], float32 [2]), [1, 2, 5])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    def step(x, items):
        rest = iter(items)
        torch._dynamo.graph_break()
        items.append(5)
        return x + 1, list(rest)

    return step


def calls(fn):
    yield torch.ones(2), [1, 2]
    yield torch.ones(2), [1, 2]
