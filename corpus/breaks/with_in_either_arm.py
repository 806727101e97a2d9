"""A break, then a break inside ``with`` in either arm of a branch on a changing global."""

import torch

ORIGIN = "pytorch/pytorch#162313"
RIGHT = [
    "tensor([9.0, 9.0], float32 [2])",
    "tensor([54.0, 54.0], float32 [2])",
    "tensor([9.0, 9.0], float32 [2])",
    "tensor([54.0, 54.0], float32 [2])",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "survival"}}

flag = True


def make():
    k = 3

    def step(x):
        x = x + 1
        torch._dynamo.graph_break()
        x = x + k
        if flag:
            with torch.no_grad():
                torch._dynamo.graph_break()
        else:
            with torch.no_grad():
                torch._dynamo.graph_break()
            x = x * 10
        return x + 4

    return step


def calls(fn):
    global flag
    for i in range(4):
        flag = i % 2 == 0
        yield (torch.ones(2),)
