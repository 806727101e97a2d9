"""Breaks in nested handlers in a loop."""

import sys
import torch


def make():
    def f(x):
        for i in range(4):
            try:
                print("try", i)
                {}[i]
            except KeyError as e:
                y = x + i
                print("h", e, sys.exc_info()[0])
                try:
                    print("inner", [][i])
                except IndexError:
                    print("ie", sys.exc_info()[0])
                    z = y * (1 if print("n") else 2)
                    if i == 1:
                        continue
                    if i == 3:
                        return z, str(e), repr(sys.exc_info()[1])
                print(sys.exc_info()[0])
            finally:
                print("fin", sys.exc_info()[0])
                x = x + 1
        return x

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
