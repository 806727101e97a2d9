"""Classes of the program's own: attributes, methods, where instances are made and kept."""

from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature
from framefuzz.generate.scope import Variable
from framefuzz.generate.values import NAMES

METER = """
class {name}:
    step = 2

    def __init__(self, total):
        self.total = total

    def grow(self, v):
        self.total += v
        return self.total * self.step
"""
COUNTED = """
class {name}:
    made = 0

    def __init__(self, v):
        type(self).made += 1
        self.v = v

    @classmethod
    def count(cls):
        return cls.made

    @staticmethod
    def twice(v):
        return v * 2
"""
CHILD = """
class {name}({base}):
    def grow(self, v):
        return super().grow(v) + 1
"""


def meter_class(p: Program) -> str:
    """The name of a class with a class attribute, an instance attribute and a method."""
    return p.shared("meter", NAMES["class"], METER, kind="class", detail="meter class")


def meter(p: Program) -> Variable:
    """A captured instance of the meter class, or of a subclass."""
    found = [v for v in p.make.visible if v.detail == "meter"]
    if found:
        return found[0]
    name = meter_class(p)
    if p.chooser.chance(3):
        name = p.shared("child", NAMES["class"], CHILD.replace("{base}", name))
    return p.declare("instance", f"{name}({p.chooser.pick(('1', '0', '2'))})", detail="meter")


@feature("method of a captured instance", "number", 6, provides=("meter", "meter class"))
def method_of_instance(p: Program) -> str:
    """A method of a captured instance changes it."""
    return f"{meter(p).name}.grow({p.simple_number()})"


@feature("attribute of a captured instance", "statement", 5)
def attribute_of_instance(p: Program) -> None:
    """An attribute of a captured instance is written."""
    name = meter(p).name
    n = p.simple_number()
    p.line(
        p.chooser.pick(
            (
                f"{name}.total = {n}",
                f"{name}.step = {n}",
                f'setattr({name}, "total", {n})',
                f'{name}.__dict__["total"] = {n}',
                f"{name}.extra = {n}",
            )
        )
    )


@feature("attribute read", "number", 4)
def attribute_read(p: Program) -> str:
    """An attribute of a captured instance or its class is read."""
    name = meter(p).name
    return p.chooser.pick(
        (
            f"{name}.total",
            f"{name}.step",
            f"len(vars({name}))",
            f'getattr({name}, "extra", {p.simple_number()})',
            f'{name}.__dict__["total"]',
        )
    )


@feature("class attribute written", "statement", 4)
def class_attribute_written(p: Program) -> None:
    """A class attribute is written by the function."""
    p.line(f"{meter_class(p)}.step += {p.need('int').name if p.chooser.chance(2) else 1}")


@feature("instance made inside", "statement", 5, lines=3)
def instance_made_inside(p: Program) -> None:
    """An instance made in the function lives across a break."""
    name = p.fresh(NAMES["instance"])
    p.line(f"{name} = {meter_class(p)}({p.simple_number()})")
    p.breaking()
    p.consume(f"{name}.grow({p.simple_number()})")


@feature("instances counted on the class", "number", 7, provides=("counted class",))
def instances_counted(p: Program) -> str:
    """Instances are counted on their class as they are made."""
    name = p.shared("counted", NAMES["class"], COUNTED, kind="class", detail="counted class")
    n = p.simple_number()
    return p.chooser.pick(
        (f"{name}({n}).v + {name}.made", f"{name}({n}).count()", f"{name}.twice({n})")
    )


@feature("method writes a closure", "statement", 5, lines=7, defines=True)
def method_writes_closure(p: Program) -> None:
    """A method of an instance made in the function writes a captured list or int."""
    name = p.fresh(NAMES["class"])
    log, n = p.captured("log", owner=p.make).name, p.captured("int", owner=p.make).name
    body = [
        f"class {name}:",
        "    def note(self, v):",
        f"        {log}.append(v)",
        f"        return v + {n}",
    ]
    p.lines_used += len(body)
    if p.chooser.chance(3):
        p.here.lines += ["", *("    " * (1 + p.here.depth) + line for line in body), ""]
    else:
        p.make_functions.append(body)
        p.make.visible.append(Variable(name, "class", p.make))
    p.consume(f"{name}().note({p.simple_number()})")
    if p.chooser.chance(2):
        p.breaking()
        p.consume(f"len({log})")


@feature("class made inside", "statement", 3, lines=6, defines=True)
def class_made_inside(p: Program) -> None:
    """A class made in the function has a list that grows around a break."""
    name = p.fresh(NAMES["class"])
    indent = "    " * (1 + p.here.depth)
    p.here.lines += ["", f"{indent}class {name}:", f"{indent}    held = [1]", ""]
    p.lines_used += 2
    p.line(f"{name}.held.append({p.simple_number()})")
    p.breaking()
    p.line(f"{name}.held.append(2)")
    p.consume(f"len({name}.held)")


@feature("bound method across a break", "statement", 3, lines=3)
def bound_method_across_break(p: Program) -> None:
    """A bound method is held across a break."""
    grow = p.fresh(("grow_it", "method", "bound_grow"))
    p.line(f"{grow} = {meter(p).name}.grow")
    p.breaking()
    p.consume(f"{grow}({p.simple_number()})")


@feature("slots", "statement", 3, lines=6, nests=True)
def slots(p: Program) -> None:
    """An attribute outside __slots__ or without a setter is stored and the error caught."""
    text = """
class {name}:
    __slots__ = ("a",)

    @property
    def fixed(self):
        return 1
"""
    name = p.shared("slotted", NAMES["class"], text)
    made = p.fresh(NAMES["instance"])
    p.line(f"{made} = {name}()")
    p.line(f"{made}.a = {p.simple_number()}")
    with p.block("try:"):
        p.line(f"{made}.{p.chooser.pick(('b', 'fixed'))} = {made}.a")
    with p.block("except AttributeError:"):
        p.consume(f"{made}.a")


@feature("dataclass", "number", 3)
def dataclass(p: Program) -> str:
    """A dataclass is made from changing numbers and compared."""
    p.imports.add("dataclasses")
    text = "\n@dataclasses.dataclass(order=True)\nclass {name}:\n    a: int\n    b: float = 0.5\n"
    name = p.shared("dataclass", NAMES["class"], text)
    n = p.simple_number()
    return p.chooser.pick(
        (
            f"{name}({n}).a + {name}({n}).b",
            f"max({name}({n}), {name}(2)).a",
            f"len(repr({name}({n})))",
            f"dataclasses.replace({name}({n}), b=1).b",
        )
    )


@feature("named tuple", "number", 3)
def named_tuple(p: Program) -> str:
    """A named tuple is made from changing numbers."""
    p.imports.add("collections")
    text = '\n{name} = collections.namedtuple("{name}", "a b")\n'
    name = p.shared("named tuple", NAMES["class"], text)
    n = p.simple_number()
    return p.chooser.pick((f"{name}({n}, 2)._replace(a=1).b", f"sum({name}({n}, 3))"))


@feature("enum", "condition", 3)
def enum(p: Program) -> str:
    """An enum member is made from a changing int or kept in a set."""
    p.imports.add("enum")
    text = "\nclass {name}(enum.IntEnum):\n    LOW = 0\n    MID = 1\n    HIGH = 2\n"
    name = p.shared("enum", NAMES["class"], text)
    n = p.need("int").name
    return p.chooser.pick(
        (
            f"{name}({n} % 3) is {name}.MID",
            f"{name}({n} % 3) > {p.simple_number()}",
            f"{name}.HIGH in {{{name}({n} % 3), {name}.LOW}}",
        )
    )
