"""Modules that change themselves, and are changed."""

import torch


class Sub(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(2, 2)
        self.n = 0
        self.register_buffer("b", torch.ones(2))
        self.items = [1]

    def forward(self, x, k=1):
        self.n += 1
        self.b.add_(1)
        self.b = self.b * 1
        self.items.append(self.n)
        if self.training:
            x = x * 2
        return self.lin(x) * self.n + self.b * k


def make():
    torch.manual_seed(0)
    m = torch.nn.Sequential(Sub(), torch.nn.ReLU())
    d = torch.nn.ModuleDict({"a": Sub()})
    pl = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(2))])

    def f(x):
        y = m(x)
        for n in d:
            y = d[n](y, k=2)
        for p in pl:
            y = y + p
        for s in m:
            y = y + 1
        return y.sum(), m[0].n, len(m), len(d)

    f.m = m
    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
    fn.m.eval()
    yield (torch.ones(2),)
    fn.m[0].lin = torch.nn.Linear(2, 2, bias=False)
    yield (torch.ones(2),)
    fn.m[0].lin.weight.data.zero_()
    yield (torch.ones(2),)
    fn.m[0].lin.weight.requires_grad_(False)
    yield (torch.ones(2),)
    fn.m[0].lin.register_forward_hook(lambda m, i, o: o + 100)
    yield (torch.ones(2),)


def observe(fn):
    return fn.m[0].n, fn.m[0].items, fn.m[0].b
