"""``with`` statements, with the graph breaking inside."""

from framefuzz.generate.features.functions import worker
from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature

MANAGER = """
class {name}:
    def __init__(self, log, swallow):
        self.log = log
        self.swallow = swallow

    def __enter__(self):
        self.log.append("in")
        return 2

    def __exit__(self, kind, error, trace):
        self.log.append("out")
        return self.swallow
"""
MANAGER_NAMES = ("Guarded", "Logged", "Section")


@feature("break in no_grad", "statement", 5, lines=5, nests=True)
def break_in_no_grad(p: Program) -> None:
    """The graph breaks under torch.no_grad()."""
    with p.block("with torch.no_grad():"):
        p.update(f"{p.current} * {p.simple_number()}")
        p.breaking()
        p.update(f"{p.current} + 1")


@feature("break in nullcontext", "statement", 2, lines=3, nests=True)
def break_in_nullcontext(p: Program) -> None:
    """The graph breaks under a nullcontext that gives a value."""
    p.imports.add("contextlib")
    entered = p.fresh(("entered", "held"))
    with p.block(f"with contextlib.nullcontext({p.simple_number()}) as {entered}:"):
        p.breaking()
        p.update(f"{p.current} + {entered}")


@feature("grad mode set inside", "statement", 2, lines=6, nests=True)
def grad_mode_set_inside(p: Program) -> None:
    """The grad mode is set under torch.no_grad(), around a break."""
    log = p.captured("log").name
    with p.block("with torch.no_grad():"):
        p.line(f"torch.set_grad_enabled({p.simple_number()} != 2)")
        p.breaking()
        p.line(f"{log}.append(torch.is_grad_enabled())")
    p.line(f"{log}.append(torch.is_grad_enabled())")


@feature("own context manager", "statement", 5, lines=6, nests=True)
def own_context_manager(p: Program) -> None:
    """The graph breaks under a context manager of the program's own."""
    manager = p.shared("manager", MANAGER_NAMES, MANAGER)
    held = p.fresh(("entered", "held"))
    with p.block(f"with {manager}({p.captured('log').name}, False) as {held}:"):
        p.update(f"{worker(p)}({p.current})")
        p.breaking()
        p.consume(held)


@feature("context manager swallows an error", "statement", 4, lines=5, nests=True)
def manager_swallows(p: Program) -> None:
    """A context manager swallows an exception raised under it."""
    manager = p.shared("manager", MANAGER_NAMES, MANAGER)
    with p.block(f"with {manager}({p.captured('log').name}, True):"):
        p.line(f"{p.assign(p.captured('int'))} += 1")
        with p.block(f"if {p.condition()}:"):
            p.line(f"raise ValueError({p.simple_number()})")


@feature("suppress", "statement", 3, lines=4, nests=True)
def suppress(p: Program) -> None:
    """contextlib.suppress ends a block early."""
    p.imports.add("contextlib")
    table, n = p.captured("table").name, p.need("text").name
    count = p.assign(p.captured("int"))
    with p.block("with contextlib.suppress(KeyError):"):
        p.line(f"{count} += {table}[{n}]")
        p.consume(f"{count}")


@feature(
    "context manager from a generator",
    "statement",
    4,
    lines=12,
    nests=True,
    defines=True,
    once=True,
)
def generator_manager(p: Program) -> None:
    """A generator-based context manager raises and lowers a captured int around a break."""
    p.imports.add("contextlib")
    level, log = p.captured("int", owner=p.make), p.captured("log", owner=p.make)
    with p.function(["int"], in_make=True, decorator="@contextlib.contextmanager") as manager:
        p.line(f"{p.assign(level)} += {manager.parameters[0].name}")
        with p.block("try:"):
            p.line(f"yield {level.name}")
        with p.block("finally:"):
            p.line(f"{log.name}.append({level.name})")
            p.line(f"{level.name} -= 1")
    held = p.fresh(("entered", "held"))
    with p.block(f"with {manager.name}({p.chooser.pick(('1', '2'))}) as {held}:"):
        p.breaking()
        p.update(f"{p.current} + {held}")


@feature("exit stack", "statement", 2, lines=4, nests=True)
def exit_stack(p: Program) -> None:
    """Callbacks of an ExitStack run when its block ends."""
    p.imports.add("contextlib")
    log = p.captured("log").name
    with p.block("with contextlib.ExitStack() as stack:"):
        p.line(f"stack.callback({log}.append, {p.simple_number()})")
        p.breaking()
        p.consume(f"len({log})")
