"""Arguments that are deleted, some of them in cells."""

import torch
import framejit


def make():
    def f(x, a, *args, k=1, **kw):
        y = x + a
        del a, args
        print(k)
        k2 = k
        del k
        kw["n"] = 1
        try:
            return y, a
        except UnboundLocalError as e:
            print(str(e)[:30])

        def g():
            nonlocal y
            y = y + 1
            return y

        g()
        framejit.graph_break()
        del kw
        return g(), y, k2

    return f


def calls(fn):
    yield (torch.ones(2), 1, 2)
    yield (torch.ones(2), 1)
