"""A captured dict loses a key."""

import torch


def make():
    options = {"by": 2.0}

    def fn(x):
        return x * options["by"] if "by" in options else x

    return fn


def calls(fn):
    yield (torch.ones(3),)
    del fn.__closure__[0].cell_contents["by"]
    yield (torch.ones(3),)
