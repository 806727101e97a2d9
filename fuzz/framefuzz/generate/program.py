"""The program being written: what features call to bind names, write lines and get operands.

Everything that a feature asks for exists when it returns: ``need("table")`` gives a visible dict
or declares one, so a feature never has to check first whether it applies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from framefuzz.generate.chooser import Chooser
from framefuzz.generate.registry import Feature, FeatureKind, of_kind
from framefuzz.generate.scope import Scope, Variable
from framefuzz.generate.values import INITIAL, NAMES, TOP_NAMES, Kind

# The most lines that make() may have, those of nested functions included, blank ones not counted.
MOST_LINES = 20
# Functions inside each other, make() not counted.
MOST_LEVELS = 3
_MOST_CAPTURED = 6
_MOST_PARAMETERS = 3

_NUMBERS: tuple[Kind, ...] = ("int", "float", "number")
_ATOMS = (
    ast.Name,
    ast.Constant,
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.JoinedStr,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
)


def atom(text: str) -> str:
    """The expression, in parentheses unless it binds tighter than any operator."""
    return text if isinstance(ast.parse(text, mode="eval").body, _ATOMS) else f"({text})"


@dataclass(frozen=True)
class State:
    """A declaration in make() or at module level; ``fixed`` if its place in the order matters."""

    variable: Variable
    value: str
    fixed: bool = False


@dataclass
class Program:
    """A program being written by one chooser; ``here`` is the function being written."""

    chooser: Chooser
    imports: set[str] = field(default_factory=set)
    module_blocks: list[str] = field(default_factory=list)
    module_state: list[State] = field(default_factory=list)
    definitions: list[Variable] = field(default_factory=list)
    state: list[State] = field(default_factory=list)
    make_functions: list[list[str]] = field(default_factory=list)
    make_tail: list[str] = field(default_factory=list)
    observed: list[str] = field(default_factory=list)
    used: dict[Feature, None] = field(default_factory=dict)
    lines_used: int = field(default=0, init=False)
    breaks: int = 0

    def __post_init__(self) -> None:
        self._names: set[str] = set()
        self._shared: dict[str, str] = {}
        self._expression_depth = 0
        self.make = Scope("make", None)
        self.top = Scope(self.fresh(TOP_NAMES), self.make)
        self.here = self.top
        self.x = Variable("x", "wide", self.top)
        self.top.parameters.append(self.x)
        self.top.visible.append(self.x)
        self.top.current = self.x
        # A parameter with a default, when there is one; it comes last and no call passes it.
        self.defaulted: State | None = None

    # Names and variables

    def fresh(self, names: Sequence[str]) -> str:
        """One of the names that the program does not use yet, or a numbered one."""
        free = [name for name in names if name not in self._names]
        name = self.chooser.pick(free) if free else f"{names[0]}{len(self._names)}"
        self._names.add(name)
        return name

    def visible(self, *kinds: Kind) -> list[Variable]:
        """What can be read here, of these kinds, the nearest scope first."""
        return [v for scope in self.here.chain() for v in scope.visible if v.kind in kinds]

    def captured(
        self, kind: Kind, *, owner: Scope | None = None, detail: str = "", value: str = ""
    ) -> Variable:
        """A variable from an outer function, declared in make() if there is none.

        With ``detail``, one of that detail; ``value`` is then its initial value.
        """
        found = [
            v
            for v in self.visible(kind)
            if v.owner not in (self.here, None)
            and v.detail == detail
            and (owner is None or v.owner is owner)
            and not (self.here is not self.top and v.owner is self.top and v in self.top.parameters)
        ]
        roomy = len(self.state) < _MOST_CAPTURED
        if found and (detail or not (roomy and self.chooser.chance(8))):
            return self.chooser.pick(found)
        return self.declare(kind, value or self.chooser.pick(INITIAL[kind]), detail=detail)

    def declare(
        self, kind: Kind, value: str, *, name: str = "", detail: str = "", fixed: bool = False
    ) -> Variable:
        """Declare a variable in make(), with this initial value."""
        variable = Variable(name or self.fresh(NAMES[kind]), kind, self.make, detail)
        self.make.visible.append(variable)
        self.state.append(State(variable, value, fixed))
        return variable

    def parameter(self, kind: Kind) -> Variable:
        """A parameter of the function under test, a new one if there is none of this kind."""
        found = [v for v in self.visible(kind) if v in self.top.parameters]
        if found:
            return found[0]
        if len(self.top.parameters) >= _MOST_PARAMETERS or self.top not in self.here.chain():
            return self.captured(kind)
        variable = Variable(self.fresh(NAMES[kind]), kind, self.top)
        self.top.parameters.append(variable)
        self.top.visible.append(variable)
        return variable

    def need(self, kind: Kind) -> Variable:
        """A visible variable of this kind; a new one is a captured one or a parameter."""
        found = self.visible(kind)
        if found and not self.chooser.chance(4):
            return self.chooser.pick(found)
        if kind in ("int", "float", "number", "text") and self.chooser.choose(5) >= 2:
            return self.parameter(kind)
        return self.captured(kind)

    def bind(
        self, kind: Kind, expression: str, *, detail: str = "", returned: bool = False
    ) -> Variable:
        """Assign an expression to a new local of the function being written."""
        variable = Variable(self.fresh(NAMES[kind]), kind, self.here, detail, returned=returned)
        self.line(f"{variable.name} = {expression}")
        self.here.visible.append(variable)
        return variable

    def assign(self, variable: Variable) -> str:
        """The variable's name, declared nonlocal or global here as an assignment needs."""
        if variable.owner is None:
            declared = self.here.globals
        elif variable.owner is not self.here:
            declared = self.here.nonlocals
        else:
            return variable.name
        if variable.name not in declared:
            if not self.here.globals and not self.here.nonlocals:
                self.lines_used += 1
            declared.append(variable.name)
        return variable.name

    def global_variable(self, kind: Kind, name: str, value: str) -> Variable:
        """A module-level variable of this name, declared once."""
        for state in self.module_state:
            if state.variable.name == name:
                return state.variable
        self._names.add(name)
        variable = Variable(name, kind, None)
        self.module_state.append(State(variable, value))
        return variable

    def shared(
        self,
        key: str,
        names: Sequence[str],
        text: str,
        *,
        kind: Kind = "function",
        detail: str = "",
    ) -> str:
        """The name of a module-level definition, written once; ``text`` has ``{name}`` in it.

        With ``detail``, changes on that detail apply to it.
        """
        if key not in self._shared:
            self._shared[key] = self.fresh(names)
            self.module_blocks.append(text.strip("\n").replace("{name}", self._shared[key]))
            if detail:
                self.definitions.append(Variable(self._shared[key], kind, None, detail))
        return self._shared[key]

    # Lines

    @property
    def lines(self) -> int:
        """How many lines make() has by now, the returns that will end it included."""
        return self.lines_used + len(self.state) + len(self.make_tail) + 3

    @property
    def room(self) -> int:
        """How many lines a feature may still write, what it may have to declare set aside."""
        return max(MOST_LINES - self.lines - 3, 1)

    @property
    def current(self) -> str:
        """The name of the local tensor that statements here transform."""
        assert self.here.current is not None, f"{self.here.name} has no tensor"
        return self.here.current.name

    def line(self, text: str) -> None:
        """Write one line where the program stands."""
        self.here.lines.append("    " * (1 + self.here.depth) + text)
        self.lines_used += 1

    def update(self, expression: str) -> None:
        """Assign a tensor expression to the current tensor."""
        self.line(f"{self.current} = {expression}")

    def consume(self, number: str) -> None:
        """Have a number be seen: in a captured list, in what is returned, or in the tensor.

        Tensor operations are what takes Dynamo's time, so most numbers go elsewhere.
        """
        form = self.chooser.choose(7)
        returned = [v for v in self.top.visible if v.returned]
        if form >= 5:
            self.update(f"{self.current} + {atom(number)}")
        elif form >= 3 and self.here is self.top and not self.top.depth and len(returned) < 3:
            self.bind("number", number, returned=True)
        else:
            self.line(f"{self.captured('log').name}.append({number})")

    @contextmanager
    def block(self, header: str, *, loop: bool = False) -> Iterator[None]:
        """Write a block under a header such as ``if n:``; what it binds is not visible after."""
        scope = self.here
        self.line(header)
        bound = list(scope.visible)
        written = self.lines_used
        scope.depth += 1
        scope.loops += loop
        yield
        if self.lines_used == written:
            self.line("pass")
        scope.depth -= 1
        scope.loops -= loop
        scope.visible[:] = [v for v in scope.visible if v in bound or v in scope.parameters]

    @contextmanager
    def function(
        self,
        parameters: Sequence[Kind] = (),
        *,
        in_make: bool = False,
        decorator: str = "",
        signature: str = "",
        detail: str = "",
    ) -> Iterator[Scope]:
        """Write a function here, or beside the function under test with ``in_make``.

        The first ``wide`` parameter is its current tensor.  ``signature`` overrides the text of
        the parameter list.  The function is visible after the block, under its scope's name.
        """
        outer = self.here
        parent = self.make if in_make else outer
        scope = Scope(self.fresh(NAMES["function"]), parent)
        for kind in parameters:
            names = ("t", "u", "v") if kind == "wide" else NAMES[kind]
            variable = Variable(self.fresh(names), kind, scope)
            scope.parameters.append(variable)
            scope.visible.append(variable)
            if kind == "wide" and scope.current is None:
                scope.current = variable
        scope.signature = signature or ", ".join(v.name for v in scope.parameters)
        self.here = scope
        yield scope
        self.here = outer
        text = ([decorator] if decorator else []) + scope.text()
        self.lines_used += 1 + bool(decorator)
        if in_make:
            self.make_functions.append(text)
        else:
            indent = "    " * (1 + outer.depth)
            outer.lines += ["", *(indent + line if line else "" for line in text), ""]
        parent.visible.append(Variable(scope.name, "function", parent, detail))

    # Choosing features

    def fits(self, candidate: Feature) -> bool:
        """Whether the feature may stand here: nesting, once a program."""
        if candidate.once and candidate in self.used:
            return False
        if candidate.nests and (self.here.depth >= 2 or self.here.loops):
            return False
        return not candidate.defines or (self.here.level < MOST_LEVELS and self.here.depth < 2)

    def choose_feature(self, kind: FeatureKind, most_lines: int = MOST_LINES) -> Feature:
        """Pick a feature of this kind that may stand here and has room."""
        most_lines = min(most_lines, self.room)
        options = [f for f in of_kind(kind) if f.lines <= most_lines and self.fits(f)]
        return self.chooser.weighted(options, [f.weight for f in options])

    def statement(self, most_lines: int = MOST_LINES) -> None:
        """Write one statement of at most so many lines, at least one."""
        self.run(self.choose_feature("statement", max(most_lines, 1)))

    def breaking(self) -> None:
        """Write a statement at which Dynamo breaks the graph."""
        self.run(self.choose_feature("break"))

    def run(self, chosen: Feature) -> str:
        """Run a feature; its expression's text, or an empty string for a statement."""
        self.used[chosen] = None
        self.breaks += chosen.kind == "break"
        self._expression_depth += 1
        text = chosen.write(self)
        self._expression_depth -= 1
        return text or ""

    # Operands

    def number(self) -> str:
        """A Python number's expression."""
        if self._expression_depth > 2:
            return self.simple_number()
        return self.run(self.choose_feature("number"))

    def text(self) -> str:
        """A str's expression."""
        return self.run(self.choose_feature("text"))

    def condition(self) -> str:
        """A truth value's expression."""
        return self.run(self.choose_feature("condition"))

    def tensor(self) -> str:
        """A tensor's expression, of a shape that broadcasts with the current tensor."""
        return self.run(self.choose_feature("tensor"))

    def simple_number(self) -> str:
        """The name of an int, float or number, or seldom a literal."""
        found = self.visible(*_NUMBERS)
        if found and self.chooser.choose(6) < 5:
            return self.chooser.pick(found).name
        if self.chooser.choose(4) == 3:
            return self.chooser.pick(("2", "3", "0.5"))
        return self.need(self.chooser.pick(_NUMBERS)).name

    def as_number(self, variable: Variable) -> str:
        """A number that depends on the variable's value."""
        name = variable.name
        return {
            "text": f"len({name})",
            "tensor": name,
            "ints": f"sum({name})",
            "tensors": f"{name}[0].sum()",
            "table": f'{name}["a"]',
            "set": f"len({name})",
            "tuple": f"{name}[0]",
            "log": f"len({name})",
        }.get(variable.kind, name)
