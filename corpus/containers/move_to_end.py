"""move_to_end on a captured OrderedDict."""

from collections import OrderedDict

import torch

ORIGIN = "pytorch/pytorch#198189"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([4.0, 4.0], float32 [2])"]
RIGHT_OBSERVED = ["['b', 'c', 'a']", "['c', 'a', 'b']"]
OPEN = {"dynamo": {"torch>=2.13": "behaviour"}}


def make():
    recent = OrderedDict(a=1, b=2, c=3)

    def step(x, key):
        recent.move_to_end(key)
        return x + len(recent)

    return step


def calls(fn):
    yield torch.ones(2), "a"
    yield torch.ones(2), "b"


def observe(fn):
    return list(fn.__closure__[0].cell_contents)
