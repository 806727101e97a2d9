"""Three free and two cell variables, declared out of order, live across two breaks."""

import torch

ORIGIN = "pytorch/pytorch#126630"
RIGHT = ["tensor([15.0, 15.0], float32 [2])", "tensor([18.0, 18.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "order"}}


def make():
    zed, mid, abc = 1, 2, 3

    def step(x):
        late = x * 2
        early = x * 3

        def mix():
            nonlocal late, early, zed
            late = late + zed
            early = early + abc
            zed += 1
            return late + early + mid

        torch._dynamo.graph_break()
        mixed = mix()
        torch._dynamo.graph_break()
        return mixed + late - early + zed + mid + abc

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
