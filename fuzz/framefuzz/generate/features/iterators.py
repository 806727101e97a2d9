"""Iterators, generators and views, held while the graph breaks or what they run over changes."""

from framefuzz.generate.features.breaks import disabled
from framefuzz.generate.features.functions import worker
from framefuzz.generate.program import Program, atom
from framefuzz.generate.registry import feature


@feature("iterator across a break", "statement", 5, lines=5)
def iterator_across_break(p: Program) -> None:
    """An iterator is held across a break while its list grows."""
    items = p.captured("ints").name
    source = p.chooser.pick((f"iter({items})", f"enumerate({items})", f"zip({items}, {items})"))
    it = p.bind("iterator", source).name
    first = p.chooser.chance(2)
    if first:
        p.line(f"next({it})")
    p.breaking()
    p.line(f"{items}.append({p.need('int').name})")
    p.line(f"{p.captured('log').name}.extend({it})")


@feature("other iterators across a break", "statement", 4, lines=4)
def other_iterators(p: Program) -> None:
    """A lazy iterator is held across a break and then advanced."""
    items, n = p.captured("ints").name, p.simple_number()
    source = p.chooser.pick(
        (
            f"reversed({items})",
            f"map(lambda v: v * {n}, {items})",
            f"(v + {n} for v in {items})",
            f"itertools.chain({items}, [{n}])",
            f"filter(lambda v: v > {n}, {items})",
            f"itertools.accumulate({items})",
            f"itertools.count({n})",
        )
    )
    if "itertools" in source:
        p.imports.add("itertools")
    it = p.bind("iterator", source).name
    p.breaking()
    p.consume(f"next({it}, 0)")


@feature("iterator advanced in an expression", "statement", 3)
def iterator_in_expression(p: Program) -> None:
    """A list grows by its own iterator's value and a value from a break."""
    items = p.captured("ints")
    grown = f"[next(iter({items.name})), {disabled(p)}({p.need('int').name})]"
    p.line(f"{items.name}.extend({grown})")


@feature("view across a break", "statement", 4, lines=4)
def view_across_break(p: Program) -> None:
    """A view of a dict is held across a break while the dict grows."""
    table = p.captured("table").name
    view = p.bind("iterator", f"{table}.{p.chooser.pick(('items', 'keys', 'values'))}()").name
    p.breaking()
    p.line(f"{table}[{p.need('text').name}] = {p.need('int').name}")
    p.line(f"{p.captured('log').name}.append(list({view}))")


@feature("generator writes a cell", "statement", 5, lines=10, defines=True)
def generator_writes_cell(p: Program) -> None:
    """A nested generator writes a captured int between its values."""
    count = p.captured("int")
    with p.function(["int"]) as stream:
        n = stream.parameters[0].name
        with p.block(f"while {n} > 0:", loop=True):
            p.line(f"{p.assign(count)} += 1")
            p.line(f"yield {n} + {count.name}")
            p.line(f"{n} -= 1")
    started = f"{stream.name}({p.need('int').name} % 4)"
    if p.chooser.chance(2):
        p.consume(f"sum({started})")
    else:
        it = p.bind("iterator", started).name
        p.consume(f"next({it}, 0)")
        p.breaking()
        p.line(f"{p.captured('log').name}.extend({it})")


@feature("lazy evaluation", "number", 4)
def lazy_evaluation(p: Program) -> str:
    """A lazy builtin stops early, and a log shows how far it ran."""
    items, log = p.need("ints").name, p.captured("log").name
    function = p.chooser.pick(("any", "all"))
    return f"len([{function}({log}.append(v) or v > 2 for v in {items})])"


@feature("builtin over an iterator", "number", 4)
def builtin_over_iterator(p: Program) -> str:
    """A builtin consumes a list through a closure."""
    items, n = p.need("ints").name, p.simple_number()
    return p.chooser.pick(
        (
            f"sum(map(lambda v: v * {n}, {items}))",
            f"sorted({items}, key=lambda v: (v * 2) % 5)[0]",
            f"sum(i * v for i, v in enumerate({items}))",
            f"max(zip({items}, {items}[1:]))[0]",
            f"sum(range(len({items}) % 5))",
        )
    )


@feature("unpacking an iterator", "statement", 3, lines=2)
def unpacking(p: Program) -> None:
    """An iterator is unpacked into names and a rest."""
    items = p.captured("ints").name
    first, rest = p.fresh(("head", "first")), p.fresh(("tail", "others"))
    p.line(f"{first}, *{rest} = iter({items})")
    p.consume(f"{first} * len({rest})")


@feature("generator left unfinished", "statement", 3, lines=8, defines=True, once=True)
def generator_unfinished(p: Program) -> None:
    """A generator that has begun is kept beyond the call."""
    with p.function(["wide"]) as stream:
        p.line(f"yield {p.current}.sum()")
        p.line(f"{p.captured('log').name}.append({p.simple_number()})")
        p.line(f"yield {p.current}.sum() + {atom(p.simple_number())}")
    it = p.bind("iterator", f"{stream.name}({p.current})", returned=p.here is p.top)
    p.update(f"{worker(p)}({p.current}) + next({it.name})")
