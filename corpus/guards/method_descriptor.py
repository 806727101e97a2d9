"""A captured method descriptor of Tensor is replaced by another one."""

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
    op = torch.Tensor.add

    def step(a, b):
        return op(a, b)

    return step


def calls(fn):
    for op in (torch.Tensor.add, torch.Tensor.mul, torch.Tensor.sub, torch.Tensor.add):
        fn.__closure__[0].cell_contents = op
        yield torch.tensor(6.0), torch.tensor(3.0)
