"""What the program lets go of after a break dies where it does under eager."""

from __future__ import annotations

import textwrap

import pytest
from checking import check

from framefuzz.case import Case

HEAD = """
import weakref

import torch

dead = []


class Plain:
    pass


class Mortal:
    def __del__(self):
        dead.append(len(dead))


@torch._dynamo.disable
def made(cls):
    return cls()


@torch._dynamo.disable
def ref(value):
    return weakref.ref(value)


@torch._dynamo.disable
def alive(reference):
    return reference() is not None


def calls(fn):
    yield (torch.ones(1),)
    yield (torch.ones(1),)


def make():
    def fn(x):
        y = x + 1
"""

BODIES = {
    "result of a breaking call": """
        a = made(Plain)
        r = ref(a)
        y = y * 2
        torch._dynamo.graph_break()
        one = alive(r)
        a = None
        return y * 2, one, alive(r)
    """,
    "local that is deleted": """
        a = [y]
        b = Plain()
        r = ref(b)
        torch._dynamo.graph_break()
        one = alive(r)
        del b
        return y * 2, one, alive(r), len(a)
    """,
    "tensor that a graph gave": """
        r = ref(y)
        y = y * 2
        torch._dynamo.graph_break()
        z = x * 3
        s = ref(z)
        z = z + 1
        return y + z, alive(r), alive(s)
    """,
    "in a loop": """
        found = []
        for i in range(3):
            a = made(Plain)
            r = ref(a)
            torch._dynamo.graph_break()
            y = y + i
            a = None
            found.append(alive(r))
        return y, found
    """,
    "on the stack": """
        r = []
        y = y + len([made(Plain), torch._dynamo.graph_break()])
        a = made(Plain)
        r.append(ref(a))
        y = (a, torch._dynamo.graph_break(), y)[2]
        del a
        return y * 2, alive(r[0])
    """,
    "finalizer": """
        a = made(Mortal)
        y = y * 2
        del a
        return y + len(dead), list(dead)
    """,
}


@pytest.mark.parametrize("name", BODIES)
def test_lifetime(name: str) -> None:
    body = textwrap.indent(textwrap.dedent(BODIES[name]), " " * 8)
    source = f"{HEAD}{body}\n    return fn\n"
    assert check(Case(name, source, f"<{name}>.py")).status == "same"
