"""getattr on a captured bound method that is itself compiled."""

import torch

ORIGIN = "pytorch/pytorch#190171"
RIGHT = ["tensor([6.0, 6.0], float32 [2])", "tensor([6.0, 6.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "behaviour", "torch>=2.13,<2.14": "survival"}}


class Adder:
    def add(self, x):
        return x + 1


Adder.add.tag = 4


def make():
    add = torch.compile(Adder().add, backend="eager")

    def step(x):
        return add(x) + getattr(add, "tag", 7)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
