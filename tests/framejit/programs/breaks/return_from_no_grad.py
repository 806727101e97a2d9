"""Returns, breaks and exceptions inside no_grad() in a loop."""

import torch


def make():
    def f(x, k):
        with torch.no_grad():
            for i in range(3):
                y = x * i
                if i == k:
                    return y, torch.is_grad_enabled()
                if i == 5 - k:
                    break
                print(i)
        return x * 2, torch.is_grad_enabled()

    def g(x, k):
        r = f(x, k)
        try:
            with torch.no_grad():
                z = x + 1
                raise ValueError
        except ValueError:
            pass
        return r, z.requires_grad, torch.is_grad_enabled(), (x * 1).requires_grad

    return g


def calls(fn):
    for k in (0, 1, 3, 4):
        yield (torch.ones(2, requires_grad=True), k)
