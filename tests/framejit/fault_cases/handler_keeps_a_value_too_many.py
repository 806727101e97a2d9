"""An exception is raised with an operand on the stack, inside a with block."""

import torch


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return True


def make():
    def fn(x):
        y = x + 1
        with Manager():
            torch._dynamo.graph_break()
            y = y * int("no number")
        return y

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
