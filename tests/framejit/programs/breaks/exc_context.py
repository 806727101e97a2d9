"""Contexts and causes of exceptions, bare raise."""

import torch


def make():
    def f(x):
        r = []
        try:
            try:
                y = x + 1
                raise ValueError("a")
            except ValueError as e:
                print("h")
                raise KeyError("b") from e
        except KeyError as e:
            r.append((type(e.__cause__).__name__, type(e.__context__).__name__, e.args))
        try:
            try:
                1 / 0
            finally:
                print("fin")
        except ZeroDivisionError as e:
            r.append(str(e))
        try:
            try:
                raise ValueError("q")
            except ValueError:
                raise
        except ValueError as e:
            r.append(e.args)
        import sys

        r.append(sys.exc_info()[0])
        return y, r

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
