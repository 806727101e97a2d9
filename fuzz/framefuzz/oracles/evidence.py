"""What the oracles judge by: both traces, the first difference, and a way to run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from framefuzz.observe.instances import is_opaque
from framefuzz.observe.render import digest
from framefuzz.oracles.difference import Comparison, Difference
from framefuzz.trace import Observation, Trace

# What the case says or prints itself, between its calls.
_OF_CALLS = frozenset({"stdout", "observed"})


@dataclass
class Evidence:
    """The two traces of one case.

    ``difference`` is the first that the behaviour comparison found, at call ``differing_call``
    (-1 if there is none): nothing after that call can be judged.  ``rerun`` runs the subject
    again, forgetting what it compiled just before the given call, and stops after that call.
    ``watch`` runs eager again and returns, for each call, a digest of the values that its frames
    held; None if eager did otherwise than before.
    """

    eager: Trace
    subject: Trace
    comparison: Comparison
    steady: int | None
    difference: Difference | None
    differing_call: int
    rerun: Callable[[int], Trace]
    watch: Callable[[], Sequence[bytes] | None]

    def __post_init__(self) -> None:
        self._states: dict[int, bytes] = {}
        self._seen: Sequence[bytes] | None = None
        self._watched = False

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

    def course_of(self, call: int) -> bytes:
        """A digest of what a call did under eager, on its way and in the end.

        Of calls that begin in one state and go different ways each has seen something else: a
        clock, a file, the environment, an attribute of a library's.  What was printed does not
        count, since ``calls`` can have printed it.
        """
        if not self._watched:
            self._watched = True
            self._seen = self.watch()
        seen = b"call %d" % call if self._seen is None else self._seen[call]
        after = self.eager.calls[call].after.sections
        result = {name: node for name, node in after.items() if name not in _OF_CALLS}
        return seen + digest(Observation(result))

    def what_changed(self, since: int, call: int) -> Difference | None:
        """The first captured fact that differs between the states before two calls."""
        strict = Comparison(True, frozenset())
        return strict.observations(self.eager.calls[since].before, self.eager.calls[call].before)
