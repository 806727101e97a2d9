"""Loops and branches, with and without breaks of the graph inside."""

from framefuzz.generate.features.functions import worker
from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature


@feature("branch", "statement", 20, lines=5, nests=True)
def branch(p: Program) -> None:
    """A branch depends on Python state."""
    with p.block(f"if {p.condition()}:"):
        p.statement(min(p.room - 2, 2))
    if p.room > 2 and p.chooser.chance(2):
        with p.block("else:"):
            p.statement(1)


@feature("break in a branch", "statement", 6, lines=4, nests=True)
def break_in_branch(p: Program) -> None:
    """The graph breaks in one arm of a branch."""
    with p.block(f"if {p.condition()}:"):
        p.breaking()
        p.statement(1)


@feature("loop", "statement", 5, lines=3, nests=True)
def loop(p: Program) -> None:
    """A loop over a range or a captured list."""
    i = p.fresh(("i", "j"))
    over = p.chooser.pick(
        ("range(2)", f"range({p.need('int').name} % 4)", f"{p.need('ints').name}[:3]")
    )
    with p.block(f"for {i} in {over}:", loop=True):
        p.update(f"{p.current} + {i}")
        if p.chooser.chance(2):
            p.statement(1)


@feature("break in a loop", "statement", 7, lines=6, nests=True)
def break_in_loop(p: Program) -> None:
    """The graph breaks inside a loop."""
    i = p.fresh(("i", "j"))
    with p.block(f"for {i} in {p.chooser.pick(('range(2)', '[1, 3]'))}:", loop=True):
        p.update(f"{p.current} * {i}")
        p.breaking()
    p.update(f"{worker(p)}({p.current})")


@feature("break in a loop of a callee", "statement", 7, lines=7, defines=True)
def break_in_loop_of_callee(p: Program) -> None:
    """The graph breaks inside a loop of a nested function."""
    with p.function(["wide"]) as inner:
        i = p.fresh(("i", "j"))
        with p.block(f"for {i} in range(2):", loop=True):
            p.breaking()
            p.update(f"{p.current} + {i}")
        p.line(f"return {p.current}")
    p.update(f"{inner.name}({p.current} * 2)")


@feature("while loop", "statement", 4, lines=5, nests=True)
def while_loop(p: Program) -> None:
    """A while loop counts, and may leave early."""
    left = p.bind("int", f"{p.need('int').name} % 4").name
    with p.block(f"while {left} > 0:", loop=True):
        p.line(f"{left} -= 1")
        p.update(f"{p.current} + {left}")
        if p.chooser.chance(2):
            p.line(f"{p.captured('log').name}.append({left})")


@feature("early return", "statement", 4, lines=2, nests=True)
def early_return(p: Program) -> None:
    """The function may return early."""
    with p.block(f"if {p.condition()}:"):
        p.line(f"return {p.current}")
