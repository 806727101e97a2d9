"""Programs on which framejit once differed from eager."""

from __future__ import annotations

import textwrap

import pytest

from framefuzz.case import Case
from framefuzz.oracles.judge import judge
from framefuzz.subjects.framejit import FramejitSubject

PROGRAMS = {
    "global written by item and read by name": """
        COUNT = 1

        def make():
            def fn(x):
                globals()["COUNT"] = COUNT + 1
                return x + COUNT

            return fn

        def calls(fn):
            yield (torch.ones(1),)
            yield (torch.ones(1),)
    """,
    "bound method of a C type that is and is not a known function": """
        def make():
            def fn(x, function):
                y = x + 1
                return y * 2 if function is torch.add else y

            return fn

        def calls(fn):
            yield torch.ones(1), (1).__add__
            yield torch.ones(1), torch.add
            yield torch.ones(1), (1).__add__
    """,
    "mode that sees what tensors do": """
        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                if func is torch.add:
                    return torch.mul(*args)
                return func(*args, **(kwargs or {}))

        def make():
            def fn(x):
                return torch.add(x, 3)

            return fn

        def calls(fn):
            x = torch.full((2,), 2.0)
            yield (x,)
            with Mode():
                yield (x,)
            yield (x,)
    """,
    "hooks of saved tensors, others in each call": """
        def make():
            def fn(x):
                return x * x + 1

            return fn

        def calls(fn):
            yield (torch.ones(1, requires_grad=True),)
            for _ in range(3):
                with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
                    yield (torch.ones(1, requires_grad=True),)
    """,
    "set made of one from outside, whose order is another": """
        def make():
            names = {8, 0}

            def fn(x):
                return x * 2, list(names | {16}), list(set(names))

            return fn

        def calls(fn):
            yield (torch.ones(1),)
            fn.__closure__[0].cell_contents = {0, 8}
            yield (torch.ones(1),)
    """,
    "graph that ends in no_grad": """
        def make():
            weight = torch.ones(3, requires_grad=True)

            def fn(x):
                with torch.no_grad():
                    return x * weight

            return fn

        def calls(fn):
            yield (torch.ones(3),)
            yield (torch.ones(3),)
    """,
    "graph that raises in no_grad": """
        def make():
            def fn(table, index):
                try:
                    with torch.no_grad():
                        z = (table * 2)[index]
                except IndexError:
                    z = table * 3
                return z

            return fn

        def calls(fn):
            yield torch.arange(3.0, requires_grad=True), torch.tensor([1])
            yield torch.arange(3.0, requires_grad=True), torch.tensor([7])
    """,
    "deque with another limit": """
        def make():
            last = collections.deque([1.0, 2.0], maxlen=2)

            def fn(x):
                last.append(3.0)
                return x * len(last)

            return fn

        def calls(fn):
            yield (torch.ones(3),)
            fn.__closure__[0].cell_contents = collections.deque([1.0, 2.0], maxlen=5)
            yield (torch.ones(3),)
    """,
    "slices, sums and products of sizes": """
        def make():
            def fn(x):
                return x * 2, x.shape[:1], x.shape[1:] + (2,), (2,) + x.shape, x.shape * 2

            return fn

        def calls(fn):
            yield (torch.ones(3, 4),)
            yield (torch.ones(5, 4),)
            yield (torch.ones(6, 4),)
    """,
    **{
        f"class that comes to have another {what}": f"""
        class Base:
            def __init__(self):
                self.own = 1

            @property
            def half(self):
                return "half"

        class Derived(Base):
            pass

        stored = []
        held = Derived()

        def make():
            def fn(x):
                held.own = 3
                return x * 2, hasattr(held, "none"), held.half, held.own, list(stored)

            return fn

        def calls(fn):
            yield (torch.ones(3),)
            {what} = {new}
            yield (torch.ones(3),)
            del {what}
            yield (torch.ones(3),)
    """
        for what, new in (
            ("Derived.__getattr__", "lambda self, name: name"),
            ("Derived.__getattribute__", "lambda self, name: name"),
            ("Derived.__setattr__", "lambda self, name, value: stored.append(name)"),
            ("Derived.half", "5"),
        )
    },
    **{
        f"text of a set by {text}": f"""
        def make():
            names = {{8, 0}}

            def fn(x):
                return x * 2, {text}

            return fn

        def calls(fn):
            yield (torch.ones(3),)
            fn.__closure__[0].cell_contents = {{0, 8}}
            yield (torch.ones(3),)
    """
        for text in ('"%s" % names', '"{}".format(names)', 'f"{names}"', "repr([names])")
    },
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_is_the_same_as_under_eager(name: str) -> None:
    source = "import collections\n\nimport torch\n\n" + textwrap.dedent(PROGRAMS[name])
    found = judge(Case(name, source, f"<{name}>.py"), FramejitSubject())
    assert (found.status, found.divergences) == ("same", [])


# What comes before the function, and its body after an operation on a tensor.
