"""A class is made in the function; its list grows before and after a break."""

import torch

ORIGIN = "pytorch/pytorch#192872"
CONFIG = {"enable_trace_load_build_class": True}
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([4.0, 4.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13": "behaviour"}}


def make():
    base = 1

    def step(x):
        class Bag:
            items = []

        Bag.items.append(base)
        y = x * 2
        torch._dynamo.graph_break()
        Bag.items.append(2)
        return y + len(Bag.items)

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
