"""Python numbers that change from call to call, and so become dynamic, in places that see them."""

from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature


@feature("membership", "condition", 7)
def membership(p: Program) -> str:
    """A changing number is looked up in a list."""
    first, second = p.simple_number(), p.simple_number()
    form = p.chooser.choose(4)
    if form == 0:
        return f"{first} in [3, {second}]"
    if form == 1:
        return f"{first} in ({second}, 5)"
    if form == 2:
        return f"{p.need('int').name} in {p.need('ints').name}"
    return f"{first} not in {{2, {second}}}"


@feature("conditional number", "number", 4)
def conditional_number(p: Program) -> str:
    """A test decides a number."""
    return f"10 if {p.condition()} else {p.simple_number()}"


@feature("index by a number", "number", 4)
def index_by_number(p: Program) -> str:
    """A list is indexed by a changing int."""
    return f"{p.need('ints').name}[{p.need('int').name} % 2]"


@feature("dict read", "number", 4)
def dict_read(p: Program) -> str:
    """A dict is read by a constant or a changing key."""
    table = p.need("table").name
    if p.chooser.chance(2):
        return f"{table}.get({p.need('text').name}, {p.simple_number()})"
    return f'{table}["{p.chooser.pick(("a", "b"))}"]'


@feature("integer division", "number", 3)
def integer_division(p: Program) -> str:
    """Integer division and remainder of a changing int."""
    n = p.need("int").name
    return p.chooser.pick((f"{n} // 2", f"{n} % 3", f"divmod({n}, 3)[0]", f"-{n} // 2"))


@feature("rounding", "number", 3)
def rounding(p: Program) -> str:
    """A changing float becomes an int."""
    k = p.need(p.chooser.pick(("float", "number"))).name
    return p.chooser.pick((f"int({k})", f"round({k})", f"round({k}, 1)", f"abs({k})"))


@feature("largest", "number", 3)
def largest(p: Program) -> str:
    """Builtins over numbers of different types."""
    function = p.chooser.pick(("max", "min"))
    return f"{function}({p.simple_number()}, {p.simple_number()}, 2)"


@feature("type test", "condition", 4)
def type_test(p: Program) -> str:
    """The type of a changing number is tested."""
    k = p.need("number").name
    return p.chooser.pick(
        (f"isinstance({k}, float)", f"type({k}) is int", f"isinstance({k}, (bool, str))")
    )


@feature("truth", "condition", 3)
def truth(p: Program) -> str:
    """The truth of a value that changes."""
    v = p.need(p.chooser.pick(("int", "number", "text", "float")))
    return p.chooser.pick((v.name, f"not {v.name}"))


@feature("f-string", "text", 8)
def f_string(p: Program) -> str:
    """A changing number is formatted."""
    n = p.simple_number()
    form = p.chooser.choose(4)
    if form == 0:
        return f'f"{{{n}}}"'
    if form == 1:
        return f'f"{{{n}:>3}}/{{{p.simple_number()}}}"'
    if form == 2:
        return f'f"{{{n}!r}}"'
    return f'f"{{{n}:.2f}}"'


@feature("str of a number", "text", 5)
def str_of_number(p: Program) -> str:
    """A changing number becomes text."""
    n = p.simple_number()
    return p.chooser.pick((f"str({n})", f"repr({n})", f'"%s" % {n}', f"type({n}).__name__"))


@feature("keep a text", "statement", 30)
def keep_text(p: Program) -> None:
    """Text made from numbers is returned or kept."""
    text = p.text()
    if p.here is p.top and not p.here.depth and p.chooser.choose(3) == 0:
        p.bind("text", text, returned=True)
    else:
        p.line(f"{p.captured('log').name}.append({text})")


@feature("number as a key", "statement", 5)
def number_as_key(p: Program) -> None:
    """A changing number is a dict key."""
    cache = p.captured("table").name
    p.line(f"{cache}[{p.simple_number()}] = {p.simple_number()}")


@feature("keep a number", "statement", 60)
def keep_number(p: Program) -> None:
    """A computed number is returned or kept."""
    p.consume(p.number())
