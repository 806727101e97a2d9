"""A captured list is appended to, then a reshape raises."""

import torch

ORIGIN = "pytorch/pytorch#175608"
RIGHT = ["raises RuntimeError", "raises RuntimeError"]
RIGHT_OBSERVED = ["[1]", "[1, 1]"]
OPEN = {"dynamo": {"torch>=2.3": "behaviour"}}


def make():
    log = []

    def step(x):
        log.append(1)
        return x.reshape(7)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return fn.__closure__[0].cell_contents
