"""Who binds which name, and what it holds: the scope model of a program being written."""

from __future__ import annotations

from dataclasses import dataclass, field

from framefuzz.generate.values import Kind


@dataclass(eq=False)
class Variable:
    """A name bound in one scope, and the kind of value that it always holds there.

    ``owner`` is None for a global.  ``detail`` says more where the kind alone does not (which
    template a class follows).  ``written_in_place`` is set once an operation that not every
    tensor allows has been applied to it; ``returned`` marks a local worth returning.
    """

    name: str
    kind: Kind
    owner: Scope | None
    detail: str = ""
    written_in_place: bool = False
    returned: bool = False


@dataclass(eq=False)
class Scope:
    """One function: what it binds, what it declares, the lines of its body.

    ``visible`` holds the variables that are assigned at the point being written, in order;
    leaving a block takes away what was bound inside.  ``current`` is the local tensor that
    statements transform.  ``lines`` are indented relative to the body.
    """

    name: str
    parent: Scope | None
    parameters: list[Variable] = field(default_factory=list)
    visible: list[Variable] = field(default_factory=list)
    nonlocals: list[str] = field(default_factory=list)
    globals: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    current: Variable | None = None
    depth: int = 0
    loops: int = 0
    signature: str = ""

    @property
    def level(self) -> int:
        """How many functions stand around this one: 0 for make()."""
        return 0 if self.parent is None else self.parent.level + 1

    def chain(self) -> list[Scope]:
        """This scope and those around it, innermost first."""
        return [self] if self.parent is None else [self, *self.parent.chain()]

    def text(self) -> list[str]:
        """The function's definition, its declarations first."""
        declared = [f"    global {', '.join(self.globals)}"] if self.globals else []
        if self.nonlocals:
            declared.append(f"    nonlocal {', '.join(self.nonlocals)}")
        return [f"def {self.name}({self.signature}):", *declared, *self.lines]
