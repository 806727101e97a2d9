"""Stores to a missing slot, a property without setter and __weakref__, each caught."""

import torch

ORIGIN = "pytorch/pytorch#165385"
RIGHT = ["tensor([112.0, 112.0], float32 [2])", "tensor([112.0, 112.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3": "behaviour"}}


class Slots:
    __slots__ = ("a",)


class ReadOnly:
    @property
    def p(self):
        return 1


class Plain:
    pass


def make():
    slots, read_only, plain = Slots(), ReadOnly(), Plain()

    def step(x):
        caught = 0
        try:
            slots.other = 1
        except AttributeError:
            caught += 1
        try:
            read_only.p = 5
        except AttributeError:
            caught += 10
        try:
            plain.__weakref__ = None
        except AttributeError:
            caught += 100
        return x + caught

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
