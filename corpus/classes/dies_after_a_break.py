"""A tensor deleted after a break must die at once: a weak reference tells."""

import weakref

import torch

ORIGIN = "pytorch/pytorch#185561"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([4.0, 4.0], float32 [2])"]
RIGHT_OBSERVED = ["[False]", "[False, False]"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "behaviour", "torch>=2.14": "behaviour"}}


def make():
    refs = []
    alive = []

    @torch._dynamo.disable
    def note(answer):
        alive.append(answer)

    def step(x):
        a = x + 1
        refs.append(weakref.ref(a))
        torch._dynamo.graph_break()
        b = a * 2
        del a
        torch._dynamo.graph_break()
        note(refs[-1]() is not None)
        return b

    step.alive = alive
    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return fn.alive
