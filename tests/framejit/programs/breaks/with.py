"""Breaks, returns, exceptions, break and continue inside with."""

from contextlib import contextmanager
import torch

log = []


@contextmanager
def cm(n):
    log.append(("in", n))
    try:
        yield n
    finally:
        log.append(("out", n))


class C:
    def __enter__(self):
        log.append("enter")
        return self

    def __exit__(self, t, v, tb):
        log.append(("exit", t and t.__name__))
        return t is ValueError


def make():
    def f(x, k):
        with cm(1) as a, C() as c:
            y = x + a
            print("in with")
            if k == 1:
                raise ValueError("swallowed")
            if k == 2:
                return y * 2
            if k == 3:
                raise KeyError("out")
            y = y * 3
            torch._dynamo.graph_break()
            y = y + 1
        for i in range(3):
            with C():
                y = y + i
                if k == 4:
                    break
                if k == 5:
                    continue
                print(i)
        return y

    return f


def calls(fn):
    for k in range(6):
        yield (torch.ones(2), k)
    yield (torch.ones(2), 2)


def observe(fn):
    return log
