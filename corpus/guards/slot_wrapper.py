"""A captured slot wrapper of Tensor is replaced by another one."""

import torch

ORIGIN = "pytorch/pytorch#197811"
RIGHT = [
    "tensor(9.0, float32 [])",
    "tensor(18.0, float32 [])",
    "tensor(3.0, float32 [])",
    "tensor(9.0, float32 [])",
]
OPEN = {"dynamo": {"torch>=2.13": "guards"}}


def make():
    op = torch.Tensor.__add__

    def step(a, b):
        return op(a, b)

    return step


def calls(fn):
    add, mul, sub = torch.Tensor.__add__, torch.Tensor.__mul__, torch.Tensor.__sub__
    for op in (add, mul, sub, add):
        fn.__closure__[0].cell_contents = op
        yield torch.tensor(6.0), torch.tensor(3.0)
