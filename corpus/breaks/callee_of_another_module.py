"""A closure of another module breaks, with nested breaks on, and then reads that module's global."""

import sys
import types

import torch

ORIGIN = "pytorch/pytorch#176906"
CONFIG = {"nested_graph_breaks": True}
RIGHT = ["tensor([22.0, 22.0], float32 [2])", "tensor([22.0, 22.0], float32 [2])"]

SOURCE = """
import torch

factor = 5

def build(offset):
    def inner(x):
        x = x + offset
        torch._dynamo.graph_break()
        return x * factor
    return inner
"""
elsewhere = sys.modules["elsewhere"] = types.ModuleType("elsewhere")
exec(SOURCE, elsewhere.__dict__)


def make():
    inner = elsewhere.build(2)

    def step(x):
        y = x + 1
        return inner(y) + y

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
