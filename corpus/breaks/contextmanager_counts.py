"""A generator context manager raises and lowers a nonlocal, with a break in the body."""

import contextlib

import torch

ORIGIN = "pytorch/pytorch#133483"
RIGHT = ["tensor([6.0, 6.0], float32 [2])", "tensor([9.0, 9.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.13": "vacuous"}}


def make():
    depth = 0

    @contextlib.contextmanager
    def deeper(by):
        nonlocal depth
        depth += by
        try:
            yield depth
        finally:
            depth -= 1

    def step(x):
        with deeper(2) as entered:
            x = x + entered
            torch._dynamo.graph_break()
            x = x + depth
        return x + depth

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
