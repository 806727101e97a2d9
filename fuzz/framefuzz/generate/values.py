"""The kinds of value that a variable can hold, with the texts of values to give it.

A kind is a promise that every feature keeps and may rely on:

- ``int`` is an int, never a bool; ``float`` a float; ``number`` an int, a float or a bool, and
  used only where all three are valid; all of them finite and at most some hundreds;
- ``text`` is a str;
- ``tensor`` has shape () or (3,), so it broadcasts into every ``wide`` one, whose last
  dimension is 3; elements stay finite;
- ``ints`` and ``tensors`` are lists of at least two; ``table`` is a dict from str to int that
  has the keys "a" and "b"; ``set`` and ``tuple`` hold ints, a tuple two or more of them.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "int",
    "float",
    "number",
    "text",
    "tensor",
    "wide",
    "ints",
    "tensors",
    "table",
    "set",
    "tuple",
    "function",
    "class",
    "instance",
    "iterator",
    "log",
    "other",
]

# Names for fresh variables, by kind; no two kinds share one.
NAMES: dict[Kind, tuple[str, ...]] = {
    "int": ("count", "step", "total", "base", "level", "hits", "width", "limit", "turn", "offset"),
    "float": ("scale", "bias", "rate", "gain", "decay", "ratio"),
    "number": ("k", "amount", "factor", "value", "extra", "bound"),
    "text": ("label", "word", "tag", "mode", "key", "caption", "line", "shown"),
    "tensor": ("weight", "state", "acc", "mean", "anchor", "buffer"),
    "wide": ("y", "out", "z", "hidden", "res", "grid", "view", "mixed"),
    "ints": ("items", "sizes", "queue", "path", "marks", "steps", "bins", "pool"),
    "tensors": ("outs", "parts", "kept", "layers"),
    "table": ("table", "counts", "config", "index", "cache", "options"),
    "set": ("seen", "allowed", "flags", "known"),
    "tuple": ("pair", "span", "axes", "corners"),
    "function": (
        "shift",
        "bump",
        "apply",
        "mix",
        "fold",
        "push",
        "pull",
        "grow",
        "tick",
        "read",
        "advance",
        "relay",
        "helper",
        "blend",
        "measure",
        "collect",
    ),
    "class": ("Meter", "Gauge", "Cell", "Tally", "Box", "Probe"),
    "instance": ("meter", "gauge", "cell", "tally", "box", "probe"),
    "iterator": ("it", "rest", "walker", "source", "stream", "feed"),
    "log": ("log", "notes", "history", "trail"),
    "other": ("recent", "lru", "groups", "frozen", "held_back"),
}

# Names of the function under test.
TOP_NAMES = ("run", "update", "forward", "process", "compute", "body", "visit")

# The values that decide what Dynamo does with a scalar: 0 and 1 are specialized even when it is
# dynamic, two different others in turn make it so; 3 is the length of most tensors.
INTS = ("2", "0", "1", "3", "5", "4", "-1", "7")
FLOATS = ("0.5", "0.0", "2.5", "1.0", "-0.0", "4.5", "-1.5")
NUMBERS = ("2", "0.5", "3", "2.5", "0", "1", "True", "1.0", "-1", "5", "0.0", "False")
TEXTS = ('"a"', '"b"', '"zz"', '"c"', '""')

# Values for state that make() declares.
INITIAL: dict[Kind, tuple[str, ...]] = {
    "int": INTS,
    "float": FLOATS,
    "number": NUMBERS,
    "text": TEXTS,
    "tensor": ("torch.ones(3)", "torch.arange(3.0)", "torch.tensor(2.0)", "torch.zeros(3)"),
    "ints": ("[1, 2]", "[3, 1]", "[2, 5, 1]", "[4, 3, 0]"),
    "tensors": ("[torch.ones(3), torch.zeros(3)]", "[torch.arange(3.0), torch.tensor(2.0)]"),
    "table": ('{"a": 1, "b": 2}', '{"b": 3, "a": 1}', '{"zz": 0, "a": 5, "b": 1}'),
    "set": ("{1, 2}", "{5, 2}", "{0, 3, 4}"),
    "tuple": ("(1, 2)", "(3, 1)", "(2, 5, 3)"),
    "log": ("[]",),
}

# Values that take the place of state between two calls.
REPLACEMENT: dict[Kind, tuple[str, ...]] = {
    **INITIAL,
    "tensor": (
        *INITIAL["tensor"],
        "torch.full((3,), 0.5)",
        "torch.ones(3, dtype=torch.float64)",
        "torch.ones(6)[::2]",
    ),
    "log": ("[]", '["old"]'),
}

# Tensors for the parameter; the last dimension is 3.  The second group cannot be written in place
# by every operation (integers, leaves that require grad, expanded memory).
TENSORS = (
    "torch.ones(3)",
    "torch.arange(3.0)",
    "torch.full((3,), -1.0)",
    "torch.ones(2, 3)",
    "torch.arange(9.0).view(3, 3).t()",
    "torch.ones(3, dtype=torch.float64)",
    "torch.zeros(3)",
    "torch.arange(6.0)[::2]",
)
READ_ONLY_TENSORS = (
    "torch.ones(3, requires_grad=True)",
    "torch.tensor([1, 2, 3])",
    "torch.ones(3).expand(2, 3)",
)
READ_ONLY_REPLACEMENTS = ("torch.ones(3, requires_grad=True)", "torch.tensor([2, 0, 1])")
