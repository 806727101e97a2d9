"""Classes that answer to operators and builtins by methods of their own."""

from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature
from framefuzz.generate.values import NAMES

# Only what a compiler has no reason to run while it traces leaves a mark: Dynamo hashes objects
# and asks them for attributes more often than the program does, and says so.
EQUAL = """
class {name}:
    def __init__(self, log):
        self.log = log

    def __eq__(self, other):
        self.log.append("eq")
        return other == 1

    def __hash__(self):
        return 1
"""
CONTAINER = """
class {name}:
    def __init__(self, n):
        self.n = n
        self.asked = 0

    def __len__(self):
        return self.n % 4

    def __getitem__(self, place):
        self.asked += 1
        if place >= len(self):
            raise IndexError(place)
        return place * 2

    def __contains__(self, v):
        self.asked += 1
        return v == self.n
"""
OPERATORS = """
class {name}:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return {name}(self.v + other)

    def __radd__(self, other):
        return other + self.v

    def __call__(self, t):
        self.v += 1
        return t * self.v

    def __bool__(self):
        return self.v > 2
"""
ITERATOR = """
class {name}:
    def __init__(self, left):
        self.left = left

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return self.left
"""
MISSING = """
class {name}:
    def __init__(self, log):
        self.log = log

    def __getattr__(self, name):
        return len(name)

    @property
    def size(self):
        self.log.append("size")
        return len(self.log)
"""
MAPPING = """
class {name}(dict):
    def __missing__(self, key):
        self[key] = len(self)
        return self[key]

    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1)
"""


def instance(p: Program, key: str, text: str, argument: str) -> str:
    """The name of a captured instance of the class in ``text``, made with this argument."""
    found = [v for v in p.make.visible if v.detail == key]
    if found:
        return found[0].name
    name = p.shared(key, NAMES["class"], text)
    return p.declare("instance", f"{name}({argument})", detail=key, fixed=True).name


@feature("own equality", "condition", 3)
def own_equality(p: Program) -> str:
    """An equality of the program's own decides and is logged."""
    q = instance(p, "equal", EQUAL, p.captured("log", owner=p.make).name)
    n = p.simple_number()
    return p.chooser.pick((f"{q} == {n}", f"{n} in [{q}]", f"{q} in [{n}, 1]", f"{q} in {{1: 2}}"))


@feature("own container", "number", 4)
def own_container(p: Program) -> str:
    """A container of the program's own is measured, indexed and searched."""
    n = p.captured("int", owner=p.make).name
    box = instance(p, "container", CONTAINER, n)
    return p.chooser.pick(
        (f"len({box})", f"sum(list({box}))", f"int({p.simple_number()} in {box})", f"{box}.asked")
    )


@feature("own operators", "statement", 4)
def own_operators(p: Program) -> None:
    """Operators of the program's own work on a captured instance."""
    q = instance(p, "operators", OPERATORS, p.chooser.pick(("2", "0")))
    n = p.simple_number()
    p.update(
        p.chooser.pick(
            (
                f"{q}({p.current})",
                f"{p.current} + ({q} + {n}).v",
                f"{p.current} + ({n} + {q})",
                f"{p.current} * (2 if {q} else {n})",
            )
        )
    )


@feature("own iterator", "statement", 4, lines=4)
def own_iterator(p: Program) -> None:
    """An iterator of the program's own is held across a break."""
    name = p.shared("iterator", NAMES["class"], ITERATOR)
    it = p.bind("iterator", f"{name}({p.need('int').name} % 5)").name
    p.consume(f"next({it}, 2)")
    p.breaking()
    p.line(f"{p.captured('log').name}.extend({it})")


@feature("missing attribute", "number", 4)
def missing_attribute(p: Program) -> str:
    """A missing attribute or a property that logs is computed."""
    q = instance(p, "missing", MISSING, p.captured("log", owner=p.make).name)
    return p.chooser.pick((f"{q}.width", f"{q}.size", f"getattr({q}, {p.need('text').name})"))


@feature("dict subclass", "statement", 4, lines=2)
def dict_subclass(p: Program) -> None:
    """A dict subclass fills in what is missing."""
    q = instance(p, "mapping", MAPPING, "a=1")
    p.line(f"{q}[{p.simple_number()}] = {p.need('int').name}")
    key = p.need("text").name if p.chooser.chance(2) else p.simple_number()
    p.consume(f"{q}[{key}]")
