"""One instance, made inside the function, writes a captured list and a captured dict twice."""

import torch

ORIGIN = "pytorch/pytorch#197896"
RIGHT = [
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
    "tensor([2.0, 2.0], float32 [2])",
]
RIGHT_OBSERVED = [
    "([3, 4], {'n': 2})",
    "([3, 4, 3, 4], {'n': 4})",
    "([3, 4, 3, 4, 3, 4], {'n': 6})",
]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "vacuous", "torch>=2.13": "behaviour"}}


def make():
    values, count = [], {"n": 0}

    class Recorder:
        def take(self, value):
            values.append(value)
            count["n"] += 1

    def step(x):
        recorder = Recorder()
        recorder.take(3)
        recorder.take(4)
        return x + 1

    step.state = (values, count)
    return step


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)


def observe(fn):
    return fn.state
