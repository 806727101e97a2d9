"""Statements of Python on which framejit once differed from eager, after a captured operation."""

from __future__ import annotations

import textwrap

import pytest
from checking import observed

from framefuzz.case import Case
from framefuzz.oracles.judge import judge
from framefuzz.subjects.framejit import FramejitSubject
from framejit import Skipped

# A generator that tells when it is closed.
CLOSES = """
        def values(log):
            try:
                yield 1
                yield 2
            finally:
                log.append("closed")
        """

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
        CLOSES,
        """
        torch._dynamo.graph_break()
        for value in values(log):
            break
        log += ["after", any(values(log)), next(values(log))]
        """,
    ),
    "generator that is dropped in a try, after a break": (
        CLOSES,
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
