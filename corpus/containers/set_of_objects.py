"""An object of a plain class is added to a captured set of such."""

import torch

ORIGIN = "pytorch/pytorch#112338"
RIGHT = ["tensor([3.0, 3.0], float32 [2])", "tensor([3.0, 3.0], float32 [2])"]
RIGHT_OBSERVED = ["2", "2"]
OPEN = {"dynamo": {"torch>=2.13,<2.15": "behaviour"}}


class Token:
    pass


first, second = Token(), Token()


def make():
    seen = {first}

    def step(x):
        seen.add(second)
        return x + len(seen)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return len(fn.__closure__[0].cell_contents)
