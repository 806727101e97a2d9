"""A captured function is replaced by another with the same code, and compared by identity."""

import torch

ORIGIN = "pytorch/pytorch#107866"
RIGHT = [
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([4.0, 4.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3": "guards"}}


def constant(k):
    def get():
        return k

    return get


ONE = constant(1)


def make():
    get = ONE

    def step(x):
        return x + (1 if get is ONE else 2) + get()

    return step


def calls(fn):
    for i in range(4):
        fn.__closure__[0].cell_contents = ONE if i % 2 == 0 else constant(1)
        yield (torch.ones(2),)
