"""The function rebinds a captured tuple; membership in it decides a write to a nonlocal."""

import torch

ORIGIN = "pytorch/pytorch#153366"
RIGHT = [
    "tensor([24.0, 24.0], float32 [2])",
    "tensor([36.0, 36.0], float32 [2])",
    "tensor([59.0, 59.0], float32 [2])",
    "tensor([94.0, 94.0], float32 [2])",
    "tensor([152.0, 152.0], float32 [2])",
]
RIGHT_OBSERVED = ["1", "2", "3", "3", "3"]
OPEN = {"dynamo": {"torch>=2.3,<2.14": "behaviour"}}


def make():
    pair = (1, 2)
    hits = 0

    def step(x):
        nonlocal pair, hits
        pair = (pair[1], pair[0] + pair[1])
        if 3 in pair or 5 in pair:
            hits += 1
        return x + pair[0] * 10 + pair[1]

    return step


def calls(fn):
    for _ in range(5):
        yield (torch.ones(2),)


def observe(fn):
    return fn.__closure__[0].cell_contents
