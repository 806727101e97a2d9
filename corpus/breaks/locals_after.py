"""locals() after a break."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = [
    "(['a', 'x'], tensor([2.0, 2.0], float32 [2]))",
    "(['a', 'x'], tensor([2.0, 2.0], float32 [2]))",
]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    def step(x):
        a = 1
        torch._dynamo.graph_break()
        return sorted(locals()), x + a

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
