"""A function of a module that is not in sys.modules writes its own global."""

import types

import torch

ORIGIN = "pytorch/pytorch#181243"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([6.0, 6.0], float32 [2])"]
RIGHT_OBSERVED = ["1", "2"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "survival"}}

SOURCE = """
ticks = 0

def tick(x):
    global ticks
    ticks += 1
    return x + ticks
"""
clock = types.ModuleType("clock_by_itself")
exec(SOURCE, clock.__dict__)


def make():
    tick = clock.tick

    def step(x):
        return tick(x) * 2

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return clock.ticks
