"""Lines in tracebacks."""

import traceback
import torch


def make():
    def g(x):
        y = x + 1
        print("g")
        return y @ torch.ones(5)

    def f(x):
        z = x * 2
        print("f")
        return g(z)

    return f


def calls(fn):
    for _ in range(2):
        try:
            fn(torch.ones(2))
        except RuntimeError as e:
            print(
                [
                    (fr.lineno, fr.line)
                    for fr in traceback.extract_tb(e.__traceback__)
                    if "tracebacks" in fr.filename
                ]
            )
        yield (torch.ones(5),)
