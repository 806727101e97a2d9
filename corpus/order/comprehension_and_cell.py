"""After a break, a cell variable that a comprehension uses as its own variable too."""

import torch

ORIGIN = "pytorch/pytorch#161542"
RIGHT = ["tensor([13.0, 13.0], float32 [2])", "tensor([13.0, 13.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "order"}}


def make():
    pool = [4, 5, 6]

    def step(x):
        x = x + 1
        torch._dynamo.graph_break()
        v = [v * 2 for v in pool if v != 5]

        def grow():
            nonlocal v
            v = v + [1]
            return v

        return x + v[0] + len(grow())

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
