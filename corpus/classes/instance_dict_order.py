"""An instance's __dict__ is written, updated and popped from: the order of its attributes."""

import torch

ORIGIN = "pytorch/pytorch#106125"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([5.0, 5.0], float32 [2])"]
RIGHT_OBSERVED = ["['b', 'c', 'a']", "['b', 'c', 'a']"]
OPEN = {"dynamo": {"torch>=2.13": "behaviour"}}


class Box:
    pass


def make():
    box = Box()
    box.a = 1

    def step(x):
        box.__dict__["b"] = box.a + 1
        box.__dict__.update(c=box.b + 1)
        a = box.__dict__.pop("a")
        box.a = a + 1
        return x + box.c

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return list(fn.__closure__[0].cell_contents.__dict__)
