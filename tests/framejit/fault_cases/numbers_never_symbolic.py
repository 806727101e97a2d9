"""A captured int is another one in each call."""

import torch


STEADY = 2


def make():
    count = 0

    def fn(x):
        return x + count

    return fn


def calls(fn):
    for count in range(5, 10):
        fn.__closure__[0].cell_contents = count
        yield (torch.ones(3),)
