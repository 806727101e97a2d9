"""Objects as dict keys and in a list, whose __eq__ and __hash__ log that they were asked."""

import torch

ORIGIN = "pytorch/pytorch#174050"
RIGHT = [
    "(tensor([111.0, 111.0], float32 [2]), ['hash', 'hash', 'eq', 'eq'])",
    "(tensor([111.0, 111.0], float32 [2]), ['hash', 'hash', 'eq', 'eq'])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13,<2.14": "behaviour"}}


def make():
    log = []

    class Same:
        def __eq__(self, other):
            log.append("eq")
            return True

        def __hash__(self):
            log.append("hash")
            return 1

    a, b = Same(), Same()

    def step(x):
        log.clear()
        x = x + len({a: 1, b: 2}) * 100 + (b in [a]) * 10
        return x, list(log)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
