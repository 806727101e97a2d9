"""A captured list grows."""

import torch


def make():
    scales = [2.0, 3.0]

    def fn(x):
        for scale in scales:
            x = x * scale
        return x

    return fn


def calls(fn):
    yield (torch.ones(3),)
    fn.__closure__[0].cell_contents.append(5.0)
    yield (torch.ones(3),)
