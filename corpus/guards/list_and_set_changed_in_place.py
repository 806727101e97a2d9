"""Membership of a constant in a captured list and set that change in place between calls."""

import torch

ORIGIN = "pytorch/pytorch#153366"
RIGHT = [
    "tensor([3223.0, 3223.0], float32 [2])",
    "tensor([6213.0, 6213.0], float32 [2])",
    "tensor([6312.0, 6312.0], float32 [2])",
    "tensor([5212.0, 5212.0], float32 [2])",
    "tensor([6312.0, 6312.0], float32 [2])",
    "tensor([6312.0, 6312.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    items, members = [1, 2], {1, 2}

    def step(x):
        in_both = (1 if 3 in members else 2) + (10 if 3 in items else 20)
        return x + in_both + len(members) * 100 + sum(items) * 1000

    step.state = (items, members)
    return step


def calls(fn):
    items, members = fn.state
    yield (torch.ones(2),)
    items.append(3)
    yield (torch.ones(2),)
    members.add(3)
    yield (torch.ones(2),)
    items.remove(1)
    members.discard(1)
    yield (torch.ones(2),)
    items.insert(0, 1)
    members.add(1)
    yield (torch.ones(2),)
    yield (torch.ones(2),)
