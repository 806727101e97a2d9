"""Breaks in the middle of every kind of expression."""

import torch


def p(v):
    print(v)
    return v


def make():
    def f(x, k):
        a = x + p(1) * (x * p(2)) - (p(3) if k else p(4))
        b = [p(5), *[x, p(6)], p(7)]
        c = {p("a"): x, **{p("b"): p(8)}}
        d = f"{p(9)!r:>5}|{p(10)}|{k}"
        e = p(1) < p(2) < p(3) < k < p(5)
        g = p(0) or p(k) and p(3) or p(4)
        h = p(x.sum().item())
        i = max(p(3), p(4), *b[2:3], key=lambda v: p(-v))
        j = dict(p=p(1), **c)
        m = x[p(0) : p(1)], x[..., p(0)]
        n = lambda q=p(11), *, r=p(12): q + r
        o = (w := p(13)) + w
        s = not p(k)
        t = b[p(0)] + -(p(2) ** p(2))
        return a, b, c, d, e, g, h, i, j, m, n(), o, s, t

    return f


def calls(fn):
    yield (torch.ones(2), 0)
    yield (torch.ones(2), 4)
