"""Generators partly consumed across breaks, sent to, delegated to."""

import torch


def make():
    def f(x):
        def gen(n):
            for i in range(n):
                got = yield x * i
                if got:
                    print("got", got)

        g = gen(5)
        a = next(g)
        b = next(g)
        print("break")
        c = g.send(3)
        rest = list(g)

        def outer():
            r = yield from gen(2)
            yield x + 100
            return 5

        o = outer()
        d = next(o)
        print("again")
        return a + b + c + sum(rest) + d, list(o)

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
