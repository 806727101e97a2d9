"""Writing ``calls(fn)``: the arguments of each call, and how the world changes in between."""

from __future__ import annotations

from collections.abc import Sequence

from framefuzz.generate.program import Program
from framefuzz.generate.registry import Feature, of_kind
from framefuzz.generate.scope import Variable
from framefuzz.generate.values import (
    FLOATS,
    INITIAL,
    INTS,
    NUMBERS,
    READ_ONLY_TENSORS,
    TENSORS,
    TEXTS,
    Kind,
)

_ARGUMENTS: dict[Kind, Sequence[str]] = {
    "int": INTS,
    "float": FLOATS,
    "number": NUMBERS,
    "text": TEXTS,
    "ints": INITIAL["ints"],
    "table": INITIAL["table"],
}
_FEWEST_CALLS = 3


class Calls:
    """The calls of one program; ``freevars`` are those of the function under test."""

    def __init__(self, program: Program, freevars: tuple[str, ...]) -> None:
        self.program = program
        self.chooser = program.chooser
        self.freevars = freevars
        self.lines: list[str] = []
        self.globals: list[str] = []
        self._targets = self._all_targets()
        self._kept = ""

    # What changes are written with

    def reach(self, variable: Variable) -> str:
        """The text by which calls() reads and rebinds a variable of the program."""
        if variable.owner is None:
            return variable.name
        return f"fn.__closure__[{self.freevars.index(variable.name)}].cell_contents"

    def rebound(self, variable: Variable) -> str:
        """As reach(), for an assignment: a global is declared first."""
        if variable.owner is None and variable.name not in self.globals:
            self.globals.append(variable.name)
        return self.reach(variable)

    # Writing

    def write(self, wanted: Sequence[Feature] = ()) -> None:
        """Write three to five calls; the wanted changes come before the third and later ones."""
        arguments = [self._first(v) for v in self.program.top.parameters]
        if self.program.x.written_in_place and self.chooser.chance(2):
            self._kept = "x"
            self.lines.append(f"x = {arguments[0]}")
            arguments[0] = "x"
        self._yield(arguments)
        changes = list(wanted)
        more = self.chooser.pick((0, 0, 0, 0, 1, 2))
        last = _FEWEST_CALLS - 2 + more
        same = True
        for call in range(last + 1):
            if call and changes:
                self._change(changes.pop(0))
                same = False
            elif call or self.chooser.chance(2):
                same &= not self._step(arguments, change=same and call == last)
            self._yield(arguments)

    def text(self) -> str:
        """The definition of ``calls``."""
        declared = [f"    global {', '.join(self.globals)}"] if self.globals else []
        return "\n".join(["def calls(fn):", *declared, *("    " + line for line in self.lines)])

    def _yield(self, arguments: Sequence[str]) -> None:
        comma = "," if len(arguments) == 1 else ""
        self.lines.append(f"yield ({', '.join(arguments)}{comma})")

    def _step(self, arguments: list[str], change: bool) -> bool:
        """Change nothing (not with ``change``), an argument, the state, or both; say whether."""
        changes = [f for f in of_kind("change") if f.on in self._targets]
        scalars = [i for i, v in enumerate(self.program.top.parameters) if v.kind != "wide"]
        # Of eight steps two change nothing, one the tensor, the others scalars, state, or both.
        what = 2 + self.chooser.choose(6) if change else self.chooser.choose(8)
        if what == 2 or (what > 2 and not scalars and not changes):
            arguments[0] = self._another(0, arguments[0])
        elif scalars and what >= 3:
            for place in scalars:
                arguments[place] = self._another(place, arguments[place])
        if changes and (what in (4, 6, 7) or (what >= 3 and not scalars)):
            self._change(self.chooser.weighted(changes, [f.weight for f in changes]))
        return what >= 2

    def _change(self, feature: Feature) -> None:
        self.program.used[feature] = None
        self.lines += feature.write(self, self.chooser.pick(self._targets[feature.on])).splitlines()

    def _all_targets(self) -> dict[str, list[Variable]]:
        """The variables that calls() can reach, by what a change is declared ``on``."""
        program = self.program
        reachable = [v for v in program.make.visible if v.name in self.freevars]
        reachable += [state.variable for state in program.module_state]
        reachable += program.definitions
        if program.defaulted:
            reachable.append(program.defaulted.variable)
        targets: dict[str, list[Variable]] = {}
        for variable in reachable:
            targets.setdefault(variable.detail or variable.kind, []).append(variable)
        return targets

    def _first(self, parameter: Variable) -> str:
        return self.chooser.pick(self._options(parameter))

    def _another(self, place: int, now: str) -> str:
        """Another argument for a parameter, or the kept tensor changed in place."""
        if now == self._kept:
            return now
        options = [o for o in self._options(self.program.top.parameters[place]) if o != now]
        return self.chooser.pick(options)

    def _options(self, parameter: Variable) -> Sequence[str]:
        if parameter.kind != "wide":
            return _ARGUMENTS[parameter.kind]
        if self.program.x.written_in_place:
            return TENSORS
        return TENSORS + READ_ONLY_TENSORS
