"""Lists, dicts and sets that are captured, changed in the function, and read again."""

from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature


@feature("append", "statement", 7)
def append(p: Program) -> None:
    """A captured list grows."""
    p.line(f"{p.captured('ints').name}.append({p.need('int').name})")


@feature("length", "number", 4)
def length(p: Program) -> str:
    """The size of a captured container is read."""
    return f"len({p.captured(p.chooser.pick(('ints', 'set', 'table'))).name})"


@feature("sum of a list", "number", 3)
def sum_of_list(p: Program) -> str:
    """A captured list is summed up."""
    return f"sum({p.captured('ints').name})"


@feature("insert and pop", "statement", 4, lines=2)
def insert_and_pop(p: Program) -> None:
    """A captured list is changed at both ends."""
    items = p.captured("ints").name
    p.line(f"{items}.insert(0, {p.need('int').name})")
    p.bind("int", f"{items}.pop()")


@feature("list assignment", "statement", 5)
def list_assignment(p: Program) -> None:
    """An element or a slice of a captured list is replaced."""
    items, n = p.captured("ints").name, p.need("int").name
    p.line(
        p.chooser.pick(
            (
                f"{items}[0] = {n}",
                f"{items}[-1] += {n}",
                f"{items}[1:2] = [{n}, 0]",
                f"{items}[{n} % 2] = {n}",
                f"{items}.reverse()",
            )
        )
    )


@feature("list extended by itself", "statement", 4)
def list_extended_by_itself(p: Program) -> None:
    """A list grows by a generator that reads the list."""
    items = p.captured("ints").name
    p.line(f"{items}.extend({items}[-1] % 9 + i for i in range(2))")


@feature("dict write", "statement", 6)
def dict_write(p: Program) -> None:
    """A captured dict is written."""
    table, n = p.captured("table").name, p.need("int").name
    p.line(
        p.chooser.pick(
            (
                f'{table}["a"] = {n}',
                f'{table}["b"] += 1',
                f'{table}.setdefault("c", {n})',
                f'{table}["b"] = {table}.pop("b") + 1',
                f"{table}.update(a={n}, c=0)",
            )
        )
    )


@feature("dict order", "statement", 4)
def dict_order(p: Program) -> None:
    """The order of a dict's keys is seen."""
    table, log = p.captured("table").name, p.captured("log").name
    p.line(p.chooser.pick((f"{log}.append(list({table}))", f"{log}.extend({table}.items())")))


@feature("set write", "statement", 4, lines=2)
def set_write(p: Program) -> None:
    """A captured set is written."""
    seen, n = p.captured("set"), p.need("int").name
    form = p.chooser.choose(3)
    if form == 2:
        p.line(f"{p.assign(seen)} ^= {{{n}}}")
    else:
        p.line(f"{seen.name}.{('add', 'discard')[form]}({n})")


@feature("set membership", "condition", 4)
def set_membership(p: Program) -> str:
    """A changing int is looked up in a captured set or dict."""
    if p.chooser.chance(2):
        return f"{p.need('text').name} in {p.captured('table').name}"
    return f"{p.need('int').name} in {p.captured('set').name}"


@feature("comprehension", "number", 4)
def comprehension(p: Program) -> str:
    """A comprehension reads captured variables."""
    items = p.need(p.chooser.pick(("ints", "tuple"))).name
    return p.chooser.pick(
        (
            f"sum(i * {p.simple_number()} for i in {items})",
            f"len([i for i in {items} if i > {p.simple_number()}])",
            f"max(i % 4 for i in {items})",
        )
    )


@feature("two names of one list", "statement", 4, lines=2, once=True)
def two_names_of_one_list(p: Program) -> None:
    """One list is held by two cells."""
    items = p.captured("ints", owner=p.make)
    twin = p.declare("ints", items.name, fixed=True)
    p.line(f"{twin.name}.append({p.need('int').name})")
    p.update(f"{p.current} + len({items.name})")
