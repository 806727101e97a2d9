"""Builtin functions, with arguments that fit and that do not."""

import torch


def make():
    def f(x):
        y = x + 1
        r = []
        for a in (
            lambda: sum(["a"], ""),
            lambda: sum([1], foo=2),
            lambda: sum([[1], [2]], []),
            lambda: max([], default=3),
            lambda: max(1),
            lambda: min([3, 1], key=lambda v: -v),
            lambda: int("z"),
            lambda: [1][5],
            lambda: {}["q"],
            lambda: (1).foo,
            lambda: "a" + 1,
            lambda: [1] + (2,),
            lambda: next(iter([])),
            lambda: list(zip([1], [1, 2], strict=True)),
            lambda: enumerate([1], 2).__next__(),
            lambda: divmod(7, 2),
            lambda: pow(2, 5, 3),
            lambda: round(2.5),
            lambda: sorted([3, "a"]),
            lambda: any([0, 1]),
            lambda: all([]),
            lambda: reversed("ab").__next__(),
            lambda: range(5)[1:3],
            lambda: slice(1, 2).stop,
            lambda: dict([(1, 2)], a=3),
            lambda: dict(a=1) | {"b": 2},
            lambda: {1} | {2},
            lambda: isinstance(1, (int, (str, float))),
            lambda: isinstance(1, int | str),
            lambda: issubclass(bool, int),
            lambda: type(3)("4"),
            lambda: getattr("a", "upper")(),
            lambda: hasattr("a", "foo"),
            lambda: (lambda *a, **k: (a, k))(*[1], **{"b": 2}),
            lambda: print(end=""),
            lambda: id(r) == id(r),
            lambda: vars(),
        ):
            try:
                r.append(a())
            except Exception as e:
                r.append((type(e).__name__, str(e)))
        return y, r[:-1]

    return f


def calls(fn):
    yield (torch.ones(2),)
