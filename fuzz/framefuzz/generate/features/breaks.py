"""Statements and expressions at which Dynamo breaks the graph."""

from framefuzz.generate.program import Program, atom
from framefuzz.generate.registry import feature

DISABLED = """
@torch._dynamo.disable
def {name}(v):
    return v
"""
DISABLED_NAMES = ("opaque", "outside", "broke")


def disabled(p: Program) -> str:
    """The name of a helper that Dynamo does not enter and that returns its argument."""
    return p.shared("disabled", DISABLED_NAMES, DISABLED)


@feature("graph break", "break", 6)
def graph_break(p: Program) -> None:
    """An explicit graph break."""
    p.line("torch._dynamo.graph_break()")


@feature("print", "break", 3)
def print_(p: Program) -> None:
    """Values are printed."""
    word = p.chooser.pick(("at", "now", "got"))
    shown = p.number() if p.chooser.choose(4) else f"{p.current}.sum()"
    p.line(f'print("{word}", {shown})')


@feature("disabled call", "break", 3)
def disabled_call(p: Program) -> None:
    """A disabled helper is called."""
    p.update(f"{disabled(p)}({p.current})")


@feature("item", "break", 2)
def item(p: Program) -> None:
    """A tensor becomes a Python number."""
    p.bind("number", f"{p.current}.{p.chooser.pick(('sum', 'max'))}().item()", returned=True)


@feature("break", "statement", 7)
def break_statement(p: Program) -> None:
    """The graph breaks at the top level."""
    p.breaking()


@feature("break in the middle of an expression", "statement", 9)
def break_mid_expression(p: Program) -> None:
    """The graph breaks with operands on the stack."""
    helper = disabled(p)
    first, second = p.simple_number(), p.simple_number()
    form = p.chooser.choose(3)
    if form == 0:
        p.update(f"{p.current} * {first} + {helper}({second})")
    elif form == 1:
        p.consume(f"sum([{first}, {helper}({second}), {p.simple_number()}])")
    else:
        p.consume(f"{first} * ({helper}({second}) - {p.simple_number()})")


@feature("break on data", "statement", 7, lines=6, nests=True)
def break_on_data(p: Program) -> None:
    """A branch depends on a tensor's data."""
    with p.block(f"if {p.current}.sum() > {atom(p.simple_number())}:"):
        p.statement(min(p.room - 2, 3))
    if p.room > 2 and p.chooser.chance(2):
        with p.block("else:"):
            p.statement(1)


@feature("break in a callee", "statement", 9, lines=5, defines=True)
def break_in_callee(p: Program) -> None:
    """The graph breaks inside a nested function."""
    in_make = p.here is p.top and p.chooser.chance(2)
    with p.function(["wide"], in_make=in_make) as callee:
        p.breaking()
        p.line(f"return {p.current} + {atom(p.number())}")
    p.update(f"{callee.name}({p.current})")
