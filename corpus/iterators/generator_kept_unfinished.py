"""A suspended generator is kept, with an in-place write to an input still to come."""

import torch

ORIGIN = "pytorch/pytorch#146628"
RIGHT = ["tensor(2.0, float32 [])", "tensor(2.0, float32 [])"]
RIGHT_OBSERVED = ["['generator']", "['generator', 'generator']"]
OPEN = {"dynamo": {"torch>=2.3": "behaviour"}}


def make():
    k = 1
    pending = []

    def sums(x):
        yield x.sum()
        x.add_(k)
        yield x.sum()

    def step(x):
        generator = sums(x)
        first = next(generator)
        pending.append(generator)
        return first + 0

    step.pending = pending
    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return [type(generator).__name__ for generator in fn.pending]
