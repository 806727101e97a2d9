"""A user's __eq__ appends to a captured list."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["(True, tensor([2.0, 2.0], float32 [2]))", "(True, tensor([2.0, 2.0], float32 [2]))"]
RIGHT_OBSERVED = ["['eq']", "['eq', 'eq']"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13,<2.14": "behaviour"}}


def make():
    log = []

    class Always:
        def __eq__(self, other):
            log.append("eq")
            return True

    always = Always()

    def step(x):
        return always == 3, x + 1

    step.log = log
    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return fn.log
