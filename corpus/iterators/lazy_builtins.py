"""map, any, all and filter over a function that logs: the order, and how far each runs."""

import torch

ORIGIN = "pytorch/pytorch#133358"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([4.0, 4.0], float32 [2])"]
RIGHT_OBSERVED = [
    "['made', 1, 'asked', 1, 2, 2, 1, 1, 2]",
    "['made', 1, 'asked', 1, 2, 2, 1, 1, 2]",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "behaviour"}}


def make():
    log = []

    def is_two(value):
        log.append(value)
        return value == 2

    def step(x):
        log.clear()
        mapped = map(is_two, [1, 2, 3])
        log.append("made")
        first = next(mapped)
        log.append("asked")
        found = any(map(is_two, [1, 2, 3])) + all(is_two(v) for v in [2, 1, 2])
        return x + first + found + next(filter(is_two, [1, 2, 3]))

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return fn.__closure__[1].cell_contents
