import textwrap

import pytest

from framefuzz.triage.excerpt import excerpt

MAIN = """\
def make():
    return step


def calls(fn):
    yield (1,)
"""


def test_the_docstring_and_what_nothing_uses_are_left_out():
    source = '''\
"""About."""
import functools, itertools
import torch
from collections import OrderedDict
gb = torch._dynamo.graph_break
one = lambda: (torch.ones(2),)

STEADY = 2
CONFIG = {"a": 1}


# A comment stays.
def helper(x):
    return other(x)

def other(x):
    return x

''' + MAIN.replace("return step", "return one")
    assert excerpt(source) == (
        "import torch\none = lambda: (torch.ones(2),)\n\n"
        "# A comment stays.\n" + MAIN.replace("return step", "return one")
    )
    assert "STEADY = 2\n" in excerpt(source, {"STEADY"})


@pytest.mark.parametrize(
    "line",
    [
        "from __future__ import annotations",
        "import torch.nn as torch",
        "from math import *",
        "x = print(3)",
        "a, b = 1, 2",
        "items = [1]; print(items)",
        "@print\ndef noisy(): pass",
        "def default(x=print()): pass",
        "if True:\n    x = 1",
        "class Anything:\n    pass",
    ],
)
def test_what_does_more_than_bind_a_name_stays(line):
    assert excerpt(f"{line}\n{MAIN}") == f"{line}\n{MAIN}"


def test_a_global_that_is_only_written_is_used():
    source = textwrap.dedent("""\
        total = 0


        def make():
            def step():
                global total
                total += 1
            return step


        def calls(fn):
            yield ()
    """)
    assert excerpt(source) == source


def test_text_inside_strings_is_untouched():
    source = f'TEXT = """a\n\n\n\n\nb"""\n{MAIN}'.replace("return step", "return TEXT")
    assert excerpt(source) == source


def test_a_chain_of_unused_definitions_goes_as_a_whole():
    source = (
        f"import weakref\n\nref = weakref.ref\n\n\ndef observe(fn):\n    return ref\n\n\n{MAIN}"
    )
    assert excerpt(source) == MAIN
    assert excerpt(source, {"observe"}) == source
