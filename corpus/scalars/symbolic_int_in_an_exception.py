"""The repr of an exception that holds an int argument, once the int is dynamic."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = [
    "('ValueError(2)', tensor([2.0, 2.0], float32 [2]))",
    "('ValueError(4)', tensor([2.0, 2.0], float32 [2]))",
    "('ValueError(6)', tensor([2.0, 2.0], float32 [2]))",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13,<2.14": "behaviour"}}


def make():
    def step(x, n):
        try:
            raise ValueError(n)
        except ValueError as error:
            said = repr(error)
        return said, x + 1

    return step


def calls(fn):
    for n in (2, 4, 6):
        yield torch.ones(2), n
