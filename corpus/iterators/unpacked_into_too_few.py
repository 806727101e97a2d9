"""A generator unpacked into two names must run to its third yield and no further."""

import torch

ORIGIN = "pytorch/pytorch#133063"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([7.0, 7.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13": "behaviour"}}


def make():
    ran = 0

    def six():
        nonlocal ran
        for i in range(6):
            ran += 1
            yield i

    def step(x):
        try:
            _first, _second = six()
        except ValueError:
            return x + ran
        return x

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
