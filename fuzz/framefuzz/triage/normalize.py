"""Strips from a message what differs between two sightings of one bug.

``RULES`` is the whole of it: named, in the order in which they are applied, each with an example
in tests/triage/test_normalize.py.  What is left of a message goes into a signature, so a rule
that takes too much merges bugs, and one that takes too little multiplies them.
"""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import re
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass

# Names that say something of a bug when a message quotes them: those of builtins, of types that
# are no builtins, and of the libraries that a program uses.  Any other is taken for the program's.
_MODULES = (builtins, collections, collections.abc, functools, itertools, types, weakref)
KNOWN_NAMES = frozenset(
    {name for module in _MODULES for name in vars(module)}
    | {value.__name__ for value in vars(types).values() if isinstance(value, type)}
    | {"Tensor", "Parameter", "Size", "SymInt", "SymFloat", "SymBool"}
)

LONGEST = 300


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that says nothing of which bug it is, and what stands in its place."""

    name: str
    why: str
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]

    def apply(self, text: str) -> str:
        """The text without what this rule strips."""
        return self.pattern.sub(self.replacement, text)


def _quoted(match: re.Match[str]) -> str:
    word = match.group("word")
    dunder = word.startswith("__") and word.endswith("__")
    return f"'{word}'" if dunder or word in KNOWN_NAMES else "'*'"


RULES: tuple[Rule, ...] = (
    Rule(
        "from user code",
        "the compiler appends the place in the program and hints, most after an empty line",
        re.compile(
            r"\s*(\n\n|from user code:|Set TORCH|You can suppress this|Hint:|"
            r"Developer debug context:|For more details about this graph break).*",
            re.DOTALL,
        ),
        "",
    ),
    Rule(
        "file path",
        "where a program or an installation lies",
        re.compile(
            r"(?:File )?[\"']?(?:/[\w.@+~ -]+)*/?[\w.<>@+~-]+\.py[\"']?(?:, line \d+|:\d+)?"
        ),
        "<file>",
    ),
    Rule(
        "qualified name",
        "the name of a function inside a function is the program's",
        re.compile(r"\w+(?:\.<locals>(?:\.\w+)?)+"),
        "<function>",
    ),
    Rule(
        "object",
        "the default repr of an object shows its address and a name of the program's",
        re.compile(
            r"<(?P<kind>function|bound method|class|module|code object)?[^<>]*?"
            r"(?:<function>|<file>)?[^<>]*? at 0x[0-9a-fA-F]+[^<>]*>"
        ),
        lambda match: f"<{match.group('kind') or 'object'}>",
    ),
    Rule("address", "differs in every process", re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    Rule(
        "resume function",
        "its name is made of the program's function and a line",
        re.compile(r"torch_dynamo_resume_in_.*?_at_\d+"),
        "torch_dynamo_resume",
    ),
    Rule(
        "guard source",
        "which variable a guard reads is the program's naming",
        re.compile(r"\b[LG]\[(?:'[^']*'|\"[^\"]*\")\](?:\.\w+|\[(?:'[^']*'|\w+)\])*"),
        "L[*]",
    ),
    Rule(
        "quoted name",
        "a quoted word is a name of the program's, unless it is a builtin or has two underscores "
        "on both sides",
        re.compile(r"(?P<quote>['\"])(?P<word>[^'\"\n]*)(?P=quote)"),
        _quoted,
    ),
    Rule(
        "called name",
        "a message about a call opens with the name of the program's function",
        re.compile(r"(?P<start>^|: )\w+\(\) (?=takes|got|missing|argument)"),
        r"\g<start>f() ",
    ),
    Rule(
        "counter",
        "the compiler numbers what it makes",
        re.compile(r"(?<=_)\d+\b|(?<=___stack)\d+"),
        "#",
    ),
    Rule(
        "symbol",
        "a symbolic size or float is numbered in the order of its making",
        re.compile(r"\b(?P<letter>zf|zuf|zu|s|u)\d+\b"),
        r"\g<letter>#",
    ),
    Rule(
        "number",
        "values, sizes and line numbers differ between programs; signals and exit codes do not",
        re.compile(
            r"(?<!signal )(?<!exit code )(?<![\w#])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)"
        ),
        "#",
    ),
    Rule(
        "sequence",
        "the length of a list of numbers is that of a program's data",
        re.compile(r"#(?:, ?#)+,?|#,(?=[)\]])"),
        "#",
    ),
    Rule("white space", "layout", re.compile(r"\s+"), " "),
)


def normalize(text: str) -> str:
    """A message without what differs between two sightings of one bug (at most LONGEST long)."""
    for rule in RULES:
        text = rule.apply(text)
    return text.strip()[:LONGEST]
