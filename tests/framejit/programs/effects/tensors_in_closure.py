"""In-place operations on a captured tensor that is rebound."""

import torch


def make():
    buf = torch.zeros(3)
    hist = []

    def f(x):
        nonlocal buf
        buf.add_(x)
        hist.append(buf)
        buf[0] = 5
        print("b")
        buf = buf * 2
        buf += 1
        hist.append(buf.clone())
        v = buf[1:]
        v.zero_()
        return buf, v, hist[-1] is buf, hist[0] is buf

    return f


def calls(fn):
    for _ in range(3):
        yield (torch.ones(3),)
