"""Named tuples, and subclasses of builtin classes."""

import collections, typing
import torch


class P(typing.NamedTuple):
    a: int
    b: float = 1.5

    def total(self):
        return self.a + self.b


class T(tuple):
    pass


class L(list):
    def append(self, v):
        print("ap")
        super().append(v)


class D(dict):
    def __getitem__(self, k):
        return "got"

    def __missing__(self, k):
        return "miss"


class I(int):
    def __add__(self, o):
        return "added"


class S(str):
    pass


class F(float):
    pass


def make():
    def f(x, v):
        p = P(1)
        l = L([1])
        l.append(2)
        d = D(a=1)
        y = x + p.total() + p.a
        r = [
            d["a"],
            d["z"],
            l[0],
            len(l),
            I(3) + 1,
            S("a").upper(),
            F(2.0) * 2,
            T((1, 2))[0],
            p == (1, 1.5),
            isinstance(p, tuple),
            p._fields,
        ]
        if isinstance(v, I):
            r.append(v + 1)
        return y, r, type(v).__name__, v == 3

    return f


def calls(fn):
    for v in (I(3), 3, S("q"), F(3), True):
        yield (torch.ones(2), v)
