"""Writes to captured variables."""

from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature


@feature("nonlocal int", "statement", 10, lines=2)
def nonlocal_int(p: Program) -> None:
    """A captured int is raised."""
    count = p.captured("int")
    amount = p.chooser.pick(("1", "2", *[v.name for v in p.visible("int") if v is not count]))
    p.line(f"{p.assign(count)} += {amount}")


@feature("nonlocal float", "statement", 5, lines=2)
def nonlocal_float(p: Program) -> None:
    """A captured float is rebound."""
    scale = p.assign(p.captured("float"))
    p.line(f"{scale} = {scale} * 0.5 + {p.chooser.pick(('1', '0.25', '2.5'))}")


@feature("nonlocal tensor", "statement", 5, lines=2)
def nonlocal_tensor(p: Program) -> None:
    """A captured tensor is rebound."""
    state = p.assign(p.captured("tensor"))
    p.line(f"{state} = {state} + {p.current}.sum()")


@feature("nonlocal list", "statement", 4, lines=2)
def nonlocal_list(p: Program) -> None:
    """A captured list is replaced by a longer one."""
    items = p.assign(p.captured("ints"))
    p.line(f"{items} = [*{items}, {p.need('int').name}]")


@feature("swap", "statement", 4, lines=2)
def swap(p: Program) -> None:
    """Two captured variables swap their values."""
    left = p.captured("int")
    others = [v for v in p.visible("int") if v.owner is left.owner and v is not left]
    right = p.chooser.pick(others) if others else p.declare("int", "5")
    a, b = p.assign(left), p.assign(right)
    p.line(f"{a}, {b} = {b}, {a}")


@feature("global int", "statement", 4, lines=2)
def global_int(p: Program) -> None:
    """A global int is raised."""
    name = p.assign(p.global_variable("int", "LIMIT", p.chooser.pick(("3", "0", "2"))))
    p.line(f"{name} += 1")


@feature("global number", "number", 3)
def global_number(p: Program) -> str:
    """A global is read."""
    return p.global_variable("int", "LIMIT", "3").name


@feature("nonlocal before and after a break", "statement", 7, lines=4)
def nonlocal_around_break(p: Program) -> None:
    """A captured int is written on both sides of a break."""
    count = p.assign(p.captured("int"))
    p.line(f"{count} += 1")
    p.breaking()
    p.line(f"{count} -= {p.chooser.pick(('1', '2'))}")
