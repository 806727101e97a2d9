"""What the oracles judge by: both traces, the first difference, and a way to run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from framefuzz.observe.instances import is_opaque
from framefuzz.observe.render import digest
from framefuzz.oracles.difference import Comparison, Difference
from framefuzz.trace import Trace


@dataclass
class Evidence:
    """The two traces of one case.

    ``difference`` is the first that the behaviour comparison found, at call ``differing_call``
    (-1 if there is none): nothing after that call can be judged.  ``rerun`` runs the subject
    again, forgetting what it compiled just before the given call, and stops after that call.
    """

    eager: Trace
    subject: Trace
    comparison: Comparison
    steady: int | None
    difference: Difference | None
    differing_call: int
    rerun: Callable[[int], Trace]

    def __post_init__(self) -> None:
        self._states: dict[int, bytes] = {}

    @property
    def judged_calls(self) -> int:
        """How many calls can be judged for more than behaviour: those before a difference."""
        if self.difference is not None:
            return self.differing_call
        return min(len(self.eager.calls), len(self.subject.calls))

    def state_before(self, call: int) -> bytes:
        """A digest of all that the program could reach before a call, under eager.

        A state that could not be looked at as a whole is like no other.
        """
        if call not in self._states:
            before = self.eager.calls[call].before
            unseen = any(is_opaque(node) for node in before.sections.values())
            self._states[call] = b"call %d" % call if unseen else digest(before)
        return self._states[call]

    def what_changed(self, since: int, call: int) -> Difference | None:
        """The first captured fact that differs between the states before two calls."""
        strict = Comparison(True, frozenset())
        return strict.observations(self.eager.calls[since].before, self.eager.calls[call].before)
