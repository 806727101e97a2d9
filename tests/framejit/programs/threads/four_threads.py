"""Four threads call one compiled function."""

import threading
import torch


def make():
    def f(x, n):
        y = x + n
        print_ = len
        torch._dynamo.graph_break()
        return y * n

    return f


def calls(fn):
    yield (torch.ones(2), 1)
    out = []

    def run(k):
        for i in range(20):
            out.append(fn(torch.ones(2), k).sum().item())

    ts = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    print(sorted(out))
    yield (torch.ones(2), 2)
