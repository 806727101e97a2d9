"""Another entry of a captured dict comes and goes."""

import torch


STEADY = 1


def make():
    options = {"by": 2.0}

    def fn(x):
        return x * options["by"]

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents["other"] = 1
    yield (torch.ones(3),)
