"""A new but equal nn.Module in every call."""

import torch

ORIGIN = "pytorch/pytorch#134954"
STEADY = 2
RIGHT = [
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
    "tensor([3.0, 3.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "recompile"}}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        torch.nn.init.ones_(self.linear.weight)
        torch.nn.init.ones_(self.linear.bias)

    def forward(self, x):
        return self.linear(x).detach()


# All alive at once, so that no identity is used again.
nets = [Net() for _ in range(5)]


def make():
    k = 1

    def step(net, x):
        return net(x) * k

    return step


def calls(fn):
    for net in nets:
        yield net, torch.ones(2)
