"""del of a local that was never bound must raise."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["tensor([2.0, 2.0], float32 [2])", "raises UnboundLocalError"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "survival"}}


def make():
    def step(x, bind):
        if bind:
            a = 1
        x = x + 1
        del a
        return x

    return step


def calls(fn):
    yield torch.ones(2), True
    yield torch.ones(2), False
