"""A captured instance is replaced by another class's."""

import torch


class Plus:
    pass


class Times:
    pass


def make():
    operation = Plus()

    def fn(x):
        return x + 5 if isinstance(operation, Plus) else x * 5

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents = Times()
    yield (torch.ones(3),)
