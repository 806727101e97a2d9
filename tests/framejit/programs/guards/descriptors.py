"""Descriptors, metaclasses, __getattribute__ and __setattr__."""

import functools
import torch


class Desc:
    def __get__(self, o, t=None):
        return 5 if o is not None else "cls"


class Data(Desc):
    def __set__(self, o, v):
        o.__dict__["d"] = v * 2


class Meta(type):
    mk = 4

    def __getattr__(cls, n):
        return 11

    def __call__(cls, *a):
        o = super().__call__(*a)
        o.made = True
        return o


class A(metaclass=Meta):
    nd = Desc()
    d = Data()

    def __init__(self, v):
        self.v = v

    @functools.cached_property
    def cp(self):
        print("cp")
        return self.v * 3

    def __getattribute__(self, n):
        return object.__getattribute__(self, n)


class B:
    nd = Desc()
    d = Data()

    def __init__(self, v):
        self.v = v

    @functools.cached_property
    def cp(self):
        print("cp")
        return self.v * 3

    def __setattr__(self, n, v):
        object.__setattr__(self, n, v + 1)

    def __delattr__(self, n):
        print("da", n)
        object.__delattr__(self, n)


def make():
    def f(x):
        a, b = A(x), B(x)
        a.d = 3
        b.d = 4
        a.nd = 9
        b.w = 5
        del b.w
        return (
            a.v,
            b.v,
            a.nd,
            b.nd,
            a.d,
            b.d,
            a.cp,
            b.cp,
            a.cp,
            A.mk,
            A.zz,
            a.made,
            A.nd,
            B.nd,
            vars(a),
            b.__dict__,
        )

    return f


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
