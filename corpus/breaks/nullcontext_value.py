"""The value of ``with nullcontext(3) as v`` is used after a break in the body."""

import contextlib

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([4.0, 4.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "survival"}}


def make():
    def step(x):
        with contextlib.nullcontext(3) as v:
            torch._dynamo.graph_break()
            return x + v

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
