"""Programs on which framejit once differed from eager."""

from __future__ import annotations

import textwrap

import pytest
import torch
from checking import observed

import framejit
from framefuzz.case import Case
from framefuzz.oracles.judge import judge
from framefuzz.subjects.framejit import FramejitSubject
from framejit import Skipped

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
BODIES = {
    "__init__ that returns something": (
        """
        class Odd:
            def __init__(self):
                return 5
        """,
        """
        try:
            Odd()
        except TypeError as error:
            log.append(str(error))
        """,
    ),
    "+= with a subclass on the right": (
        """
        class Left:
            def __add__(self, other):
                return "left"

        class Right(Left):
            def __radd__(self, other):
                return "right"
        """,
        """
        sum_ = Left()
        sum_ += Right()
        log.append(sum_)
        """,
    ),
    "string formatted with what has __rmod__": (
        """
        class Odd:
            def __rmod__(self, other):
                return "rmod"

            def __str__(self):
                return "str"
        """,
        'log.append("%s" % Odd())',
    ),
    "generators that are read while what they yield is used": (
        """
        def told(log):
            for i in range(3):
                log.append(i)
                yield i, len(log)

        def joined(log, one, other):
            log.append("joined")
            return one + other

        class Added:
            def __init__(self, log):
                self.log = log

            def __radd__(self, other):
                self.log.append("added")
                return other
        """,
        """
        log.append(functools.reduce(lambda a, b: joined(log, a, b), told(log)))
        log.append(sum(Added(log) for pair in told(log)))
        entries, members = {}, set()
        entries.update((i, len(entries)) for i in range(3))
        members.update(len(members) for i in range(3))
        log += [entries, members]
        """,
    ),
    "key deleted and stored again while a dict is gone over": (
        "",
        """
        entries = {1: 2}
        try:
            for key in entries:
                del entries[key]
                entries[key] = 3
        except RuntimeError as error:
            log.append(str(error))
        """,
    ),
    "deque that changes while it is gone over": (
        "",
        """
        last = collections.deque([1, 2], maxlen=2)
        try:
            for value in last:
                last.append(value)
        except RuntimeError as error:
            log.append(str(error))
        """,
    ),
    "deque that changes between iter() and a break": (
        "",
        """
        last = collections.deque([1, 2])
        values = iter(last)
        last.append(3)
        torch._dynamo.graph_break()
        try:
            next(values)
        except RuntimeError as error:
            log.append(str(error))
        """,
    ),
    "send() through yield from": (
        """
        def inner():
            got = yield 1
            return (yield got)

        def outer():
            got = yield from inner()
            yield got
            yield from [5, 6]
        """,
        """
        values = outer()
        log += [next(values), values.send("a"), values.send("b"), next(values)]
        try:
            values.send("c")
        except AttributeError as error:
            log.append(str(error))
        """,
    ),
    "generator that is dropped in a try": (
        """
        def values(log):
            try:
                yield 1
                yield 2
            finally:
                log.append("closed")
        """,
        """
        torch._dynamo.graph_break()
        for value in values(log):
            break
        log += ["after", any(values(log)), next(values(log))]
        """,
    ),
    "generator that is dropped in a try, after a break": (
        """
        def values(log):
            try:
                yield 1
                yield 2
            finally:
                log.append("closed")
        """,
        """
        torch._dynamo.graph_break()
        left = values(log)
        torch._dynamo.graph_break()
        next(left)
        del left
        log.append("after")
        """,
    ),
    "break in a handler, in a loop whose try does nothing but raise": (
        "",
        """
        for i in range(2):
            try:
                raise IndexError(i)
            except IndexError as error:
                log.append(str(error))
        """,
    ),
    "match of a range": (
        "",
        """
        match range(2):
            case [first, second]:
                log.append((first, second))
        """,
    ),
    "truth of a dict's views": (
        "",
        "log += [bool({}.keys()), not {}.items(), {}.values() or 1, bool({1: 2}.keys())]",
    ),
    "next() of a dict's view": (
        "",
        """
        try:
            next({1: 2}.keys())
        except TypeError as error:
            log.append(str(error))
        """,
    ),
    "except with what is no class of exceptions": (
        "",
        """
        for classes in (5, int, (KeyError, 5)):
            try:
                try:
                    raise ValueError
                except classes:
                    pass
            except TypeError as error:
                log.append(str(error))
        """,
    ),
    **{
        f"named tuple with its own {name}": (
            f"""
            class Pair(collections.namedtuple("Pair", "a b")):
                def {name}(self, *arguments):
                    return {result}
            """,
            """
            pair = Pair(1, 2)
            torch._dynamo.graph_break()
            log += [bool(pair), pair[0], [*pair], pair + (3,), pair.b]
            log += [len(pair), list(reversed(pair))]
            """,
        )
        for name, result in (
            ("__len__", "3"),
            ("__bool__", "False"),
            ("__iter__", "iter([3])"),
            ("__getitem__", "3"),
            ("__add__", "3"),
            ("__reversed__", "iter([3])"),
            ("__getattribute__", "3"),
        )
    },
    "named tuple with a class attribute for a field": (
        """
        class Pair(collections.namedtuple("Pair", "a b")):
            a = 5
        """,
        "log.append(Pair(1, 2).a)",
    ),
    "named tuple with its own __init__": (
        """
        made = []

        class Pair(collections.namedtuple("Pair", "a b")):
            def __init__(self, *arguments):
                made.append(arguments)
        """,
        "log += [Pair(1, 2), list(made)]",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_body_does_what_it_does_under_eager(name: str) -> None:
    before, body = (textwrap.dedent(text) for text in BODIES[name])
    source = f"""
import collections
import functools

import torch

{before}

def make():
    def fn(x):
        log = []
        y = x + 1
{textwrap.indent(body, " " * 8)}
        return y * 2, log

    return fn


def calls(fn):
    yield (torch.ones(1),)
    yield (torch.ones(1),)
"""
    with observed() as events:
        found = judge(Case(name, source, f"<{name}>.py"), FramejitSubject())
    assert (found.status, found.divergences) == ("same", [])
    assert [e.reason for e in events if isinstance(e, Skipped) and e.error is not None] == []


def test_class_that_is_renamed() -> None:
    class Named:
        pass

    named = Named()

    def step(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
        return x * 2, Named.__name__, type(named).__qualname__

    compiled = framejit.compile(step)
    compiled(torch.ones(1))
    Named.__name__ = Named.__qualname__ = "Renamed"
    assert compiled(torch.ones(1))[1:] == ("Renamed", "Renamed")
