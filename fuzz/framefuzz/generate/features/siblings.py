"""Functions that share cells: siblings, levels, late binding, closures that outlive the call."""

from framefuzz.generate.program import Program, atom
from framefuzz.generate.registry import feature


@feature("siblings share an int", "statement", 8, lines=8, defines=True)
def siblings_share_int(p: Program) -> None:
    """Two nested functions share a cell."""
    shared = p.bind("int", "1") if p.chooser.chance(2) else p.captured("int")
    with p.function(["int"]) as push:
        amount = push.parameters[0].name
        p.line(f"{p.assign(shared)} += {amount}")
    with p.function(["wide"]) as pull:
        p.line(f"return {p.current} * {shared.name} + {atom(p.simple_number())}")
    p.line(f"{push.name}({p.need('int').name})")
    p.update(f"{pull.name}({p.current})")


@feature("cells and free variables", "statement", 8, lines=7, defines=True)
def cells_and_free_variables(p: Program) -> None:
    """Cells and free variables are alive together across a break."""
    free = p.captured(p.chooser.pick(("int", "float")))
    cell = p.bind("int", p.chooser.pick(("2", "0", "3")))
    with p.function(["wide"]) as inner:
        p.line(f"{p.assign(cell)} += 1")
        p.line(f"return {p.current} * {cell.name} + {free.name}")
    p.breaking()
    p.update(f"{inner.name}({p.current}) + {cell.name}")


@feature("nested function", "statement", 7, lines=8, defines=True)
def nested_function(p: Program) -> None:
    """A nested function works on the tensor."""
    with p.function(["wide"]) as inner:
        p.statement(min(p.room - 2, 5))
        p.line(f"return {p.current} + {atom(p.number())}")
    p.update(f"{inner.name}({p.current})")


@feature("function reads a rebound cell", "statement", 6, lines=5, defines=True)
def reads_rebound_cell(p: Program) -> None:
    """A nested function reads a cell that is rebound after its definition."""
    cell = p.bind("int", "1")
    with p.function() as inner:
        p.line(f"return {cell.name} + {p.simple_number()}")
    p.line(f"{cell.name} = {p.need('int').name}")
    p.consume(f"{inner.name}()")


@feature("late binding", "statement", 4, lines=2)
def late_binding(p: Program) -> None:
    """Lambdas share the loop variable of a comprehension."""
    bound = p.fresh(("fs", "adders"))
    p.line(f"{bound} = [lambda v: v * i + {p.simple_number()} for i in range(3)]")
    p.update(f"{bound}[{p.chooser.pick(('0', '1'))}]({p.current})")


@feature("closure escapes", "statement", 5, lines=6, defines=True, once=True)
def closure_escapes(p: Program) -> None:
    """A closure made in the function outlives the call."""
    cell = p.bind("int", p.need("int").name)
    with p.function() as inner:
        name = p.assign(cell)
        p.line(f"{name} += 1")
        p.line(f"return {name}")
    if p.here is p.top and p.chooser.chance(2):
        p.top.visible[-1].returned = True
    else:
        kept = p.captured("log")
        p.line(f"{kept.name}.append({inner.name})")


@feature("closure read later", "statement", 4, lines=6, defines=True, once=True)
def closure_read_later(p: Program) -> None:
    """A closure kept beyond the call shows what its cell holds by then."""
    kept = p.declare("other", "[]", detail="readers")
    p.make_tail.append(f"{p.top.name}.readers = {kept.name}")
    p.observed.append("[reader() for reader in fn.readers]")
    cell = p.bind("int", p.need("int").name)
    with p.function() as reader:
        p.line(f"return {cell.name} * {p.simple_number()}")
    p.line(f"{kept.name}.append({reader.name})")
    p.breaking()
    p.line(f"{cell.name} += 1")
