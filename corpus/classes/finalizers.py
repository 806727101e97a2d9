"""Objects with __del__ are dropped in the function: when their finalizers run."""

import torch

ORIGIN = "pytorch/pytorch#185561"
RIGHT = ["tensor([4.0, 4.0], float32 [2])", "tensor([4.0, 4.0], float32 [2])"]
RIGHT_OBSERVED = ["['a', 'deleted', 'b']", "['a', 'deleted', 'b']"]
OPEN = {"dynamo": {"torch>=2.3": "behaviour"}}


def make():
    log = []

    class Mortal:
        def __init__(self, name):
            self.name = name

        def __del__(self):
            log.append(getattr(self, "name", "nameless"))

    def step(x):
        log.clear()
        a = Mortal("a")
        b = Mortal("b")
        del a
        log.append("deleted")
        b = None
        return x + len(log)

    step.log = log
    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)


def observe(fn):
    return fn.log
