"""A generator is sent to and closed, another thrown into; finally writes a nonlocal."""

import torch

ORIGIN = "pytorch/pytorch#141055"
RIGHT = ["tensor([159.0, 159.0], float32 [2])", "tensor([374.0, 374.0], float32 [2])"]
OPEN = {"dynamo": {"torch>=2.3,<2.4": "survival", "torch>=2.13,<2.14": "behaviour"}}


def make():
    n = 0

    def talk():
        nonlocal n
        try:
            got = yield 1
            n += got
            yield 2
        except ValueError:
            n += 10
            yield 3
        finally:
            n += 100

    def step(x):
        a = talk()
        sent = next(a) + a.send(5)
        a.close()
        b = talk()
        thrown = next(b) + b.throw(ValueError("x"))
        return x + sent + thrown * 10 + n

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
