"""nonlocal at three depths."""

import torch


def make():
    a = 1

    def f(x):
        b = 2

        def g():
            nonlocal a, b
            c = 3

            def h():
                nonlocal a, b, c
                a += 1
                b += 1
                c += 1
                return a + b + c

            r = h()
            print(r)
            return r + h() + c

        return x * g() + a + b

    return f


def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
