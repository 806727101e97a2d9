"""A nonlocal and a captured list are written, then an operator raises."""

import torch

ORIGIN = "found by framefuzz"
RIGHT = ["raises RuntimeError", "tensor([0.0, 0.0, 0.0], float32 [3])"]
RIGHT_OBSERVED = ["[['subtracting'], 1]", "[['subtracting', 'subtracting'], 2]"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    log = []
    n = 0

    def step(x):
        nonlocal n
        log.append("subtracting")
        n += 1
        return x - torch.ones(3)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(3),)


def observe(fn):
    return [cell.cell_contents for cell in fn.__closure__]
