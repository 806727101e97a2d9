"""Exceptions raised and caught, with side effects and graph breaks on the way."""

from framefuzz.generate.features.functions import worker
from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature

OWN_ERROR = """
class {name}(Exception):
    def __init__(self, amount):
        super().__init__(f"short by {amount}")
        self.amount = amount
"""
OWN_ERROR_NAMES = ("Shortage", "Overrun")


@feature("raise and catch", "statement", 6, lines=4, nests=True)
def raise_and_catch(p: Program) -> None:
    """An exception made from a changing number is caught and shown."""
    log = p.captured("log").name
    kind = p.chooser.pick(("ValueError", "KeyError", "RuntimeError"))
    shown = p.chooser.pick(("repr(error)", "error.args[0]", "str(error)", "error.args"))
    with p.block("try:"):
        p.line(f"raise {kind}({p.simple_number()})")
    with p.block(f"except {kind} as error:"):
        p.line(f"{log}.append({shown})")


@feature("failing lookup", "statement", 6, lines=6, nests=True)
def failing_lookup(p: Program) -> None:
    """A failing lookup is caught after a side effect."""
    count, n = p.captured("int"), p.need("int").name
    error = p.chooser.pick(("KeyError", "IndexError", "ZeroDivisionError", "ValueError"))
    if error == "KeyError":
        expression = f'{p.captured("table").name}["none"]'
    elif error == "IndexError":
        expression = f"{p.captured('ints').name}[{n} + 90]"
    elif error == "ZeroDivisionError":
        expression = f"10 // ({n} - {n})"
    else:
        expression = f'int("{n}")'
    with p.block("try:"):
        p.line(f"{p.assign(count)} += 1")
        p.consume(f"{expression}")
    with p.block(f"except {error}:"):
        p.line(f"{count.name} -= {p.chooser.pick(('2', '1'))}")


@feature("failing tensor operation", "statement", 2, lines=7, nests=True)
def failing_tensor_operation(p: Program) -> None:
    """A tensor operation fails after side effects, and is caught."""
    count = p.captured("int")
    with p.block("try:"):
        p.line(f"{p.assign(count)} += 1")
        p.line(f"{p.captured('ints').name}.append({count.name})")
        p.update(f"{p.current} + torch.ones(7)")
    with p.block("except RuntimeError:"):
        p.line(f"{count.name} += 2")


@feature("break in try", "statement", 6, lines=9, nests=True)
def break_in_try(p: Program) -> None:
    """The graph breaks in a try block that has a finally."""
    count = p.captured("int")
    with p.block("try:"):
        p.breaking()
        p.update(f"{worker(p)}({p.current})")
    with p.block("finally:"):
        p.line(f"{p.assign(count)} += 1")
        if p.chooser.chance(2):
            p.line(f"{p.captured('log').name}.append({count.name})")


@feature("break in except", "statement", 6, lines=10, nests=True)
def break_in_except(p: Program) -> None:
    """The graph breaks while an exception is handled."""
    log = p.captured("log").name
    with p.block("try:"):
        with p.block(f"if {p.condition()}:"):
            p.line(f"raise ValueError({p.simple_number()})")
        p.update(f"{worker(p)}({p.current})")
    with p.block("except ValueError as error:"):
        p.breaking()
        p.line(f"{log}.append(str(error))")


@feature("break in finally", "statement", 4, lines=7, nests=True)
def break_in_finally(p: Program) -> None:
    """The graph breaks in a finally block."""
    with p.block("try:"):
        p.update(f"{p.current} + {p.simple_number()}")
    with p.block("finally:"):
        p.breaking()
        p.line(f"{p.assign(p.captured('int'))} += 1")


@feature("raise from", "statement", 4, lines=9, nests=True)
def raise_from(p: Program) -> None:
    """An exception is raised from another one, and both are shown."""
    log = p.captured("log").name
    with p.block("try:"):
        with p.block("try:"):
            p.line(f'{p.captured("table").name}["none"]')
        with p.block("except KeyError as error:"):
            cause = p.chooser.pick((" from error", "", " from None"))
            p.line(f"raise ValueError({p.simple_number()}){cause}")
    with p.block("except ValueError as error:"):
        p.line(f"{log}.append(repr(error.__cause__))")
        p.line(f"{log}.append(type(error.__context__).__name__)")


@feature("own exception", "statement", 4, lines=10, defines=True)
def own_exception(p: Program) -> None:
    """An exception of the program's own leaves a nested function and is caught by its caller."""
    error = p.shared("own error", OWN_ERROR_NAMES, OWN_ERROR)
    count = p.captured("int")
    with p.function(["wide"]) as inner:
        p.line(f"{p.assign(count)} += 1")
        with p.block(f"if {p.condition()}:"):
            p.line(f"raise {error}({p.simple_number()})")
        p.line(f"return {p.current} + 1")
    with p.block("try:"):
        p.update(f"{inner.name}({p.current})")
    with p.block(f"except {error} as error:"):
        p.consume("error.amount")


@feature("assertion", "statement", 3, lines=4, nests=True)
def assertion(p: Program) -> None:
    """An assertion on changing state fails in some calls."""
    with p.block("try:"):
        p.line(f'assert {p.condition()}, f"not for {{{p.simple_number()}}}"')
    with p.block("except AssertionError as error:"):
        p.line(f"{p.captured('log').name}.append(str(error))")


@feature("unbound local", "statement", 4, lines=7, nests=True)
def unbound_local(p: Program) -> None:
    """A local that was assigned only in some calls is deleted or read."""
    name = p.fresh(("late", "maybe", "spare"))
    with p.block(f"if {p.condition()}:"):
        p.line(f"{name} = {p.simple_number()}")
    with p.block("try:"):
        if p.chooser.chance(3):
            p.line(f"{p.captured('log').name}.append({name})")
        else:
            p.line(f"del {name}")
    with p.block("except UnboundLocalError:"):
        p.line(f"{p.assign(p.captured('int'))} += 1")


@feature("return in try", "statement", 4, lines=8, defines=True)
def return_in_try(p: Program) -> None:
    """A nested function returns from a try block, and its finally writes a captured int."""
    count = p.captured("int")
    with p.function(["wide"]) as inner:
        with p.block("try:"):
            p.breaking()
            p.line(f"return {p.current} + {count.name}")
        with p.block("finally:"):
            p.line(f"{p.assign(count)} += 1")
    p.update(f"{inner.name}({p.current})")


@feature("keyword given twice", "statement", 3, lines=5, nests=True)
def keyword_given_twice(p: Program) -> None:
    """A keyword is given twice in some calls, which is a TypeError."""
    with p.block("try:"):
        key = p.need("text").name
        p.line(f"{p.captured('table').name}.update(dict(a=1, **{{{key}: 2}}))")
    with p.block("except TypeError:"):
        p.line(f"{p.assign(p.captured('int'))} += 1")
