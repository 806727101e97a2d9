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
    p.bind("int", f"{items}.pop()", returned=True)


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
    p.consume(f"len({items.name})")


@feature("deque", "statement", 2, lines=2)
def deque(p: Program) -> None:
    """A captured deque of bounded length drops its oldest."""
    p.imports.add("collections")
    recent = p.captured("other", detail="deque", value="collections.deque([1, 2], maxlen=3)").name
    method = p.chooser.pick(("append", "appendleft"))
    p.line(f"{recent}.{method}({p.need('int').name})")
    p.consume(p.chooser.pick((f"sum({recent})", f"{recent}.maxlen")))


@feature("ordered dict", "statement", 4, lines=2)
def ordered_dict(p: Program) -> None:
    """A captured OrderedDict is reordered."""
    p.imports.add("collections")
    value = "collections.OrderedDict(b=1, a=2)"
    lru = p.captured("other", detail="ordered", value=value).name
    key = p.chooser.pick(("b", "a"))
    p.line(f'{lru}.move_to_end("{key}")')
    p.consume(f"next(iter({lru}.values()))")


@feature("default dict", "statement", 3, lines=2)
def default_dict(p: Program) -> None:
    """A captured defaultdict grows by reading."""
    p.imports.add("collections")
    groups = p.captured("other", detail="groups", value="collections.defaultdict(list)").name
    p.line(f"{groups}[{p.simple_number()}].append({p.simple_number()})")
    p.consume(f"len({groups})")


@feature("frozen set", "condition", 4, provides=("frozen",))
def frozen_set(p: Program) -> str:
    """A changing number is looked up in a captured frozenset."""
    frozen = p.captured("other", detail="frozen", value="frozenset({1, 2})").name
    return p.chooser.pick((f"{p.simple_number()} in {frozen}", f"any(v is True for v in {frozen})"))


@feature("list operations", "number", 4)
def list_operations(p: Program) -> str:
    """A captured list is sliced, searched or compared."""
    items, n = p.captured("ints").name, p.need("int").name
    return p.chooser.pick(
        (
            f"{items}.count({n})",
            f"sum({items}[{n} % 2 :])",
            f"int({items} == [{n}, 1])",
            f"max({items}[::-1])",
            f"len({items} + [{n}] * 2)",
            f"{items}.index({items}[-1])",
        )
    )


@feature("set operations", "number", 3)
def set_operations(p: Program) -> str:
    """A captured set is combined with another."""
    seen, n = p.captured("set").name, p.need("int").name
    return p.chooser.pick(
        (
            f"len({seen} | {{{n}}})",
            f"sum(sorted({seen})[:2])",
            f"len({seen} & {{1, {n}}})",
            f"int({seen} >= {{{n}}})",
        )
    )


@feature("tuple", "number", 4)
def tuple_(p: Program) -> str:
    """A captured tuple is indexed, compared or searched."""
    pair, n = p.captured("tuple").name, p.need("int").name
    return p.chooser.pick(
        (f"{pair}[{n} % 2]", f"int({pair} < ({n}, 2))", f"({pair} + ({n},))[-1]", f"sum({pair})")
    )


@feature("nonlocal tuple", "statement", 3, lines=2)
def nonlocal_tuple(p: Program) -> None:
    """A captured tuple is rebound by the function."""
    pair = p.assign(p.captured("tuple"))
    p.line(f"{pair} = (*{pair}[-2:], {p.need('int').name})")


@feature("nested list", "statement", 3, lines=4)
def nested_list(p: Program) -> None:
    """A list is held twice in another one, and changed through it."""
    items = p.captured("ints").name
    both = p.fresh(("both", "rows", "pairs"))
    p.line(f"{both} = [{items}, {items}]")
    if p.chooser.chance(2):
        p.breaking()
    p.line(f"{both}[0].append({p.need('int').name})")
    p.consume(f"len({both}[1])")


@feature("global list", "statement", 3, lines=2)
def global_list(p: Program) -> None:
    """A global list is changed."""
    name = p.global_variable("ints", "SIZES", p.chooser.pick(("[1, 2]", "[3, 0]"))).name
    p.line(f"{name}[{p.chooser.pick(('0', '-1'))}] += 1")
    p.consume(f"sum({name})")


@feature("list argument", "statement", 4, lines=2)
def list_argument(p: Program) -> None:
    """A list is passed as an argument and changed."""
    items = p.parameter("ints")
    p.line(f"{items.name}.append({p.simple_number()})")
    p.consume(f"len({items.name})")


@feature("dict of results", "statement", 3)
def dict_of_results(p: Program) -> None:
    """A captured dict keeps a computed number under a computed key."""
    p.line(f"{p.captured('table').name}[{p.text()}] = {p.number()}")
