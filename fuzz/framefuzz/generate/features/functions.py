"""Functions as values: defaults, attributes, partials, decorators, recursion, replacement."""

from framefuzz.generate.program import Program, State, atom
from framefuzz.generate.registry import feature
from framefuzz.generate.scope import Variable
from framefuzz.generate.values import INTS, NAMES

COLLECT = """
def {name}(v, held=[]):
    held.append(v)
    return len(held)
"""
SCALED = """
def {name}(v, by=2, *, plus=1):
    return v * by + plus
"""


@feature("mutable default", "number", 4)
def mutable_default(p: Program) -> str:
    """A helper keeps values in a mutable default."""
    helper = p.shared("collect", ("collect_all", "gather", "remember"), COLLECT)
    return f"{helper}({p.simple_number()})"


@feature("function with defaults", "number", 5, provides=("function with defaults",))
def function_with_defaults(p: Program) -> str:
    """A global function with defaults is called."""
    helper = p.shared(
        "scaled",
        ("scaled", "spread", "weigh"),
        SCALED,
        kind="function",
        detail="function with defaults",
    )
    call = p.chooser.pick(("{f}({n})", "{f}({n}, 3)", "{f}({n}, plus={n})", "{f}(by={n}, v=2)"))
    return call.format(f=helper, n=p.simple_number())


@feature("default of the function under test", "number", 4, provides=("defaulted",))
def defaulted_parameter(p: Program) -> str:
    """The function under test has a parameter with a default."""
    if p.defaulted is None:
        variable = Variable(p.fresh(NAMES["int"]), "int", p.top, "defaulted")
        p.defaulted = State(variable, p.chooser.pick(INTS))
    if p.top not in p.here.chain():
        return p.simple_number()
    return p.defaulted.variable.name


@feature("default bound at definition", "statement", 4, lines=5, defines=True)
def default_bound_at_definition(p: Program) -> None:
    """A nested function binds a changing number as its default."""
    n = p.need("int")
    with p.function(["wide"]) as inner:
        t = inner.parameters[0].name
        inner.signature = f"{t}, by={n.name}"
        p.line(f"return {t} * by + {n.name}")
    p.line(f"{p.assign(n)} += 1")
    p.update(f"{inner.name}({p.current})")


@feature("keyword and star arguments", "statement", 4, lines=4, defines=True)
def keyword_and_star_arguments(p: Program) -> None:
    """A nested function takes star and keyword arguments."""
    with p.function(["wide"]) as inner:
        t = inner.parameters[0].name
        inner.signature = f"{t}, *rest, **named"
        p.line(f"return {t} + sum(rest) + len(named) * {p.simple_number()}")
    items = p.need("ints").name
    p.update(
        f"{inner.name}({p.current}, *{items}[:2], a={p.simple_number()}, b={p.simple_number()})"
    )


@feature("partial", "number", 4)
def partial(p: Program) -> str:
    """functools.partial binds a changing number."""
    p.imports.add("functools")
    function = p.chooser.pick(("max", "divmod", "pow"))
    if function == "max":
        return f"functools.partial(max, {p.simple_number()})({p.simple_number()})"
    return f"functools.partial({function}, {p.need('int').name} % 5)(2)" + (
        "[0]" if function == "divmod" else ""
    )


@feature("reduce", "number", 3)
def reduce(p: Program) -> str:
    """functools.reduce folds a list with a closure."""
    p.imports.add("functools")
    n = p.simple_number()
    return f"functools.reduce(lambda a, b: a + b * {n}, {p.need('ints').name}, 0)"


@feature("cached function", "number", 2)
def cached_function(p: Program) -> str:
    """A cached function without side effects is called."""
    p.imports.add("functools")
    helper = p.shared(
        "cached",
        ("square", "tripled"),
        "\n@functools.lru_cache\ndef {name}(v):\n    return v * 3\n",
    )
    return f"{helper}({p.simple_number()})"


@feature("attribute of the function", "statement", 5, lines=2, provides=("function under test",))
def attribute_of_function(p: Program) -> None:
    """The function under test keeps a counter on itself."""
    top = p.top.name
    if not any(v.name == top for v in p.make.visible):
        p.make_tail.append(f"{top}.calls = {p.chooser.pick(('0', '1', '3'))}")
        p.make.visible.append(Variable(top, "function", p.make, "function under test"))
    p.line(f"{top}.calls += 1")
    p.consume(f"{top}.calls")


@feature("recursion", "statement", 3, lines=4, defines=True)
def recursion(p: Program) -> None:
    """A nested function calls itself."""
    with p.function(["int"]) as inner:
        n = inner.parameters[0].name
        p.line(f"return {p.simple_number()} if {n} <= 0 else {n} + {inner.name}({n} - 1)")
    p.consume(f"{inner.name}({p.need('int').name} % 4)")


@feature("function passed on", "statement", 5, lines=8, defines=True)
def function_passed_on(p: Program) -> None:
    """A closure is passed to a captured function that breaks the graph and calls it."""
    count = p.captured("int")
    appliers = [v for v in p.make.visible if v.detail == "applier"]
    if appliers:
        applier = appliers[0].name
    else:
        with p.function(["wide"], in_make=True, detail="applier") as scope:
            t = scope.parameters[0].name
            scope.signature = f"f, {t}"
            p.breaking()
            p.line(f"return f({p.current}) + 1")
        applier = scope.name
    with p.function(["wide"]) as inner:
        p.line(f"{p.assign(count)} += 1")
        p.line(f"return {p.current} * {count.name}")
    p.update(f"{applier}({inner.name}, {p.current})")


@feature("decorated function", "statement", 4, lines=11, defines=True, once=True)
def decorated_function(p: Program) -> None:
    """A nested function is wrapped by a decorator that counts and breaks the graph."""
    count = p.captured("int", owner=p.make)
    with p.function(in_make=True, detail="decorator") as decorator:
        decorator.signature = "f"
        with p.function(["wide"]) as wrapper:
            p.line(f"{p.assign(count)} += 1")
            p.breaking()
            p.line(f"return f({p.current}) * 2")
        p.line(f"return {wrapper.name}")
    with p.function(["wide"], decorator=f"@{decorator.name}") as inner:
        p.line(f"return {p.current} + {atom(p.simple_number())}")
    p.update(f"{inner.name}({p.current})")


@feature("dispatch", "statement", 4, lines=2)
def dispatch(p: Program) -> None:
    """A lambda is taken from a dict by a changing key."""
    bound = p.fresh(("handlers", "ops", "choices"))
    n = p.simple_number()
    p.line(f"{bound} = {{0: lambda v: v + {n}, 1: lambda v: v * 2}}")
    p.update(f"{bound}[{p.need('int').name} % 2]({p.current})")


@feature("worker function", "statement", 5, lines=3, provides=("worker",))
def worker_function(p: Program) -> None:
    """A captured function transforms the tensor."""
    p.update(f"{worker(p)}({p.current})")


def worker(p: Program) -> str:
    """The name of a function beside the one under test, from tensor to tensor.

    Dynamo skips a frame that breaks inside a loop or some ``with`` blocks, but not its callees:
    a program whose loops break needs a callee that does some work, or it would test nothing.
    """
    helpers = [v for v in p.make.visible if v.detail == "worker"]
    if helpers:
        return p.chooser.pick(helpers).name
    with p.function(["wide"], in_make=True, detail="worker") as scope:
        p.line(f"return {p.current} * 2 + {atom(p.simple_number())}")
    return scope.name


@feature("tensor operation in a variable", "tensor", 5, provides=("operation",))
def operation_in_variable(p: Program) -> str:
    """A tensor operation is held in a captured variable."""
    operation = p.captured("function", detail="operation", value="torch.Tensor.add")
    return f"{operation.name}({p.current}, {p.simple_number()})"


@feature("locals", "statement", 3)
def locals_(p: Program) -> None:
    """The names of the locals are listed."""
    p.line(f"{p.captured('log').name}.append(sorted(locals()))")


@feature("walrus", "statement", 3, lines=3, nests=True)
def walrus(p: Program) -> None:
    """An assignment expression binds a number in a condition."""
    name = p.fresh(("got", "m", "found"))
    with p.block(f"if ({name} := {p.need('int').name} + 1) > {p.simple_number()}:"):
        p.consume(f"{name}")
    p.line(f"{p.captured('log').name}.append({name})")
