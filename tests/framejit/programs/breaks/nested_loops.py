"""Breaks in nested loops over every kind of iterator."""

import torch


def make():
    def f(x, n):
        t = 0
        for i in range(n):
            for j in [1, 2, 3]:
                for k, v in {"a": 1, "b": 2}.items():
                    x = x + v
                    if j == 2:
                        print(i, j, k)
                if i == 1:
                    break
            else:
                t += 1
                print("else")
                continue
            t += 10
        for a, (b, c) in zip(range(3), enumerate("xyz")):
            print(a, b, c)
            x = x + b
        for q in reversed([1, 2, 3]):
            print(q)
            x = x * q
        for q in map(lambda v: v + 1, [1, 2]):
            print(q)
            x = x - q
        for q in filter(None, [0, 1, 2]):
            print(q)
            x = x - q
        return x, t

    return f


def calls(fn):
    yield (torch.ones(2), 2)
    yield (torch.ones(2), 3)
