"""Enums, dataclasses, named tuples, partial, wraps and lru_cache."""

import enum, dataclasses, collections, functools
import torch


class E(enum.Enum):
    A = 1
    B = 2


class F(enum.IntEnum):
    A = 1
    B = 2


@dataclasses.dataclass
class DC:
    a: int
    b: float = 2.0
    c: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class FD:
    a: int


NT = collections.namedtuple("NT", "a b", defaults=[3])


def make():
    part = functools.partial(lambda a, b, c=1: a + b * c, b=2)

    @functools.wraps(len)
    def w(v):
        return len(v)

    @functools.lru_cache
    def cached(n):
        return n * 2

    def f(x, e, n):
        d = DC(n)
        d.c.append(1)
        fd = FD(n)
        t = NT(n)
        y = x + d.a + d.b + t.b + t[0] + fd.a
        if e is E.A:
            y = y * 2
        elif e == E.B:
            y = y * 3
        if n == F.B:
            y = y - 1
        try:
            fd.a = 3
        except dataclasses.FrozenInstanceError as err:
            print("frozen")
        return (
            y + part(n) + w([1]) + cached(n),
            d,
            fd,
            t._replace(a=5),
            t._asdict(),
            d == DC(n),
            e.name,
            F.A + n,
            E(1),
            {E.A: 1}[E.A],
        )

    return f


def calls(fn):
    yield (torch.ones(2), E.A, 1)
    yield (torch.ones(2), E.B, 2)
    yield (torch.ones(2), E.A, 3)
