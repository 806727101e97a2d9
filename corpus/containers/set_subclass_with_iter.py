"""A captured subclass of set overrides __iter__: equality, membership, sum and len of it."""

import torch

ORIGIN = "pytorch/pytorch#186671"
RIGHT = ["tensor([309912.0, 309912.0], float32 [2])", "tensor([309912.0, 309912.0], float32 [2])"]
OPEN = {
    "dynamo": {
        "torch>=2.3,<2.4": "vacuous",
        "torch>=2.13,<2.14": "survival",
        "torch>=2.14,<2.15": "behaviour",
    }
}


class Odd(set):
    def __iter__(self):
        return iter([99])


def make():
    odd = Odd({1, 2, 3})

    def step(x):
        x = x + (1 if odd == {1, 2, 3} else 2) + (10 if 2 in odd else 20)
        return x + sum(odd) * 100 + len(odd) * 100000

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
