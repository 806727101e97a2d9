"""An exception leaves a try whose body has a break."""

import torch


def make():
    log = []

    def fn(x):
        try:
            y = x + 1
            torch._dynamo.graph_break()
            if len(log) < 9:
                raise ValueError("stop")
        finally:
            log.append("finally")
        return y

    return fn


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
