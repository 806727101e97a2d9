"""The register of language features: each is one function with a name, a kind and a weight.

A feature's function gets the Program being written.  By kind:

- ``statement`` writes lines where the program stands;
- ``break`` writes a statement at which Dynamo breaks the graph;
- ``number``, ``text``, ``condition`` and ``tensor`` return an expression's text, without outer
  parentheses: a Python number, a str, a truth value, a tensor that broadcasts with the current;
- ``change`` also gets a Variable of kind ``on``, reached from outside the function under test,
  and returns the statements that change it between two calls.

The first sentence of its docstring says what it exercises; it becomes part of a case's title.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

FeatureKind = Literal["statement", "break", "number", "text", "condition", "tensor", "change"]
Write = TypeVar("Write", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Feature:
    """A language feature.

    ``weight`` is how often it is picked, relative to the others of its kind.  ``lines`` is the
    most that it adds to the function under test.  ``nests`` says that it opens a block,
    ``defines`` that it defines a function, ``once`` that a program has it once.  ``on`` is the
    kind or detail of variable that a change applies to, ``provides`` those that a statement binds.
    """

    name: str
    kind: FeatureKind
    weight: int
    lines: int
    nests: bool
    defines: bool
    once: bool
    on: str
    provides: tuple[str, ...]
    write: Callable[..., Any]

    @property
    def doc(self) -> str:
        """The first sentence of the function's docstring, without its full stop."""
        return (self.write.__doc__ or "").partition("\n")[0].strip().removesuffix(".")


FEATURES: dict[str, Feature] = {}
_BY_KIND: dict[str, list[Feature]] = {}


def of_kind(kind: FeatureKind) -> list[Feature]:
    """The features of one kind, in the order of registration: the simplest first."""
    return _BY_KIND[kind]


def feature(
    name: str,
    kind: FeatureKind,
    weight: int,
    *,
    lines: int = 1,
    nests: bool = False,
    defines: bool = False,
    once: bool = False,
    on: str = "",
    provides: tuple[str, ...] = (),
) -> Callable[[Write], Write]:
    """Register the decorated function; raise ValueError for a name that is taken."""

    def register(write: Write) -> Write:
        if name in FEATURES:
            raise ValueError(f"two features are named {name!r}")
        registered = Feature(name, kind, weight, lines, nests, defines, once, on, provides, write)
        FEATURES[name] = registered
        _BY_KIND.setdefault(kind, []).append(registered)
        return write

    return register
