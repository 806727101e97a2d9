"""A method appends to a captured list; its instance is made inside the compiled function."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["tensor([2.0, 2.0], float32 [2])", "tensor([2.0, 2.0], float32 [2])"]
RIGHT_OBSERVED = ["['added']", "['added', 'added']"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13,<2.14": "behaviour"}}


def make():
    log = []

    class Note:
        def add(self):
            log.append("added")

    def step(x):
        Note().add()
        return x + 1

    step.log = log
    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return fn.log
