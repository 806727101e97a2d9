"""The factory of a captured defaultdict counts in a nonlocal how often it was asked."""

from collections import defaultdict

import torch

ORIGIN = "pytorch/pytorch#130554"
RIGHT = [
    "tensor([12.0, 12.0], float32 [2])",
    "tensor([22.0, 22.0], float32 [2])",
    "tensor([23.0, 23.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "survival"}}


def make():
    made = 0

    def new_list():
        nonlocal made
        made += 1
        return []

    lists = defaultdict(new_list)

    def step(x, key):
        lists[key].append(1)
        return x + len(lists[key]) + made * 10

    return step


def calls(fn):
    for key in "aba":
        yield torch.ones(2), key
