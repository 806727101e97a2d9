"""Mistakes that can be planted in the compiler, to see whether what tests it would find them.

Each is a line or two at the place where somebody could well have made it, off unless it is
switched on: ``if planted("a name"):``.  Nothing asks while compiled code runs; what concerns a hit
is decided when its guards and code are made.  ``FRAMEJIT_FAULTS=name,name`` in the environment
plants them in every process that inherits it (docs/framejit-faults.md).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

VARIABLE = "FRAMEJIT_FAULTS"


@dataclass(frozen=True)
class Fault:
    """A mistake: what it is and what a user sees of it, and the oracle that should see it."""

    name: str
    what: str
    oracle: str


def planted(name: str) -> bool:
    """Whether a fault is switched on."""
    return name in _on


@contextmanager
def plant(*names: str) -> Iterator[None]:
    """Switch faults on for a block; all compiled code is dropped on entry and on exit.

    Raises ValueError for a name that is no fault's.
    """
    global _on
    before, _on = _on, _on | _checked(names)
    _forget()
    try:
        yield
    finally:
        _on = before
        _forget()


def _forget() -> None:
    from framejit.compiler import reset  # which imports this module
    from framejit.decode import forget

    reset()
    forget()


def _checked(names: Iterable[str]) -> frozenset[str]:
    chosen = frozenset(names)
    for name in sorted(chosen.difference(FAULTS)):
        near = difflib.get_close_matches(name, FAULTS) or sorted(FAULTS)
        raise ValueError(f"no fault {name!r}; did you mean {', '.join(map(repr, near))}?")
    return chosen


_RESUMING = (
    Fault(
        "resume free variables unsorted",
        "A resume function's free variables come before the original's cells, unsorted: closures "
        "are not what CPython would have made.",
        "order",
    ),
    Fault(
        "cells before free variables",
        "A resume function's free variables are the original's cells, then its free variables, as "
        "before PyTorch PR 126630.",
        "order",
    ),
    Fault(
        "closure in the original's order",
        "A resume function is made with the cells in the order of the original: it reads one "
        "variable for another.",
        "order",
    ),
    Fault(
        "cells of made code reversed",
        "The cells of transformed code are taken from a stack: they stand in reverse.",
        "order",
    ),
    Fault(
        "stack swapped across a break",
        "The values below the breaking instruction are pushed from the top down: a - (b - f()) "
        "becomes b - (a - f()).",
        "behaviour",
    ),
    Fault(
        "result below the stack",
        "What the breaking instruction leaves is put below what was on the stack: the operands of "
        "the next operation are exchanged.",
        "behaviour",
    ),
    Fault(
        "local not restored after a break",
        "A local that holds another argument's value is taken for unchanged: x, y = y, x is lost.",
        "behaviour",
    ),
    Fault(
        "deleted local bound after a break",
        "All arguments are passed to the resume function: one that was deleted is there again.",
        "behaviour",
    ),
    Fault(
        "handlers not copied",
        "A copied body has no exception table: after a break neither except nor finally runs.",
        "behaviour",
    ),
    Fault(
        "handler lost at a break",
        "The breaking instruction runs outside its try: what it raises is not caught.",
        "behaviour",
    ),
    Fault(
        "handler keeps a value too many",
        "A copied handler's depth is one too large: it finds a stray value where __exit__ is.",
        "behaviour",
    ),
    Fault(
        "handler pops the iterator",
        "A copied handler's depth is one too small: in a loop the iterator is dropped, and the "
        "next step of the loop reads a null pointer.",
        "survival",
    ),
    Fault(
        "jump turned round at a break",
        "A branch on a tensor's data goes on where it should have jumped.",
        "behaviour",
    ),
    Fault(
        "grad mode not restored at a break",
        "What follows a break inside no_grad runs with gradients.",
        "behaviour",
    ),
    Fault(
        "previous grad mode lost",
        "A no_grad that is rebuilt does not know the mode before it: gradients stay off.",
        "behaviour",
    ),
    Fault(
        "half a call kept at a break",
        "Tracing does not begin anew where a call breaks half way: its side effects so far are "
        "done once by the trace and once by the call.",
        "behaviour",
    ),
)
_REBUILDING = (
    Fault(
        "iterator one step ahead",
        "An iterator that is rebuilt at a break has made one step too many: an item is left out.",
        "behaviour",
    ),
    Fault(
        "enumerate counts anew",
        "An enumerate that is rebuilt at a break counts from its start again.",
        "behaviour",
    ),
    Fault(
        "closure cells copied",
        "A function that is rebuilt gets new cells: what it writes to nonlocals is not seen.",
        "behaviour",
    ),
    Fault(
        "keyword defaults lost",
        "A function that is rebuilt has no defaults for its keyword-only parameters.",
        "behaviour",
    ),
    Fault(
        "method loses its instance",
        "A bound method that is rebuilt is the plain function: a with block whose body breaks the "
        "graph fails to call __exit__.",
        "behaviour",
    ),
    Fault(
        "maxlen lost",
        "A deque that is rebuilt has no limit any more.",
        "behaviour",
    ),
    Fault(
        "mutated list copied",
        "A list from outside that the trace has changed is rebuilt, not loaded: it is another "
        "object, and later changes are lost.",
        "behaviour",
    ),
)
_EFFECTS = (
    Fault(
        "method calls replayed twice",
        "An append to a list from outside is done twice.",
        "behaviour",
    ),
    Fault(
        "append lost",
        "An append to a list from outside is not done.",
        "behaviour",
    ),
    Fault(
        "effects in reverse",
        "Side effects are done last to first: a list's items stand in reverse.",
        "behaviour",
    ),
    Fault(
        "effects before the graph",
        "Side effects are done before the graph is called: if it raises, the original runs from "
        "its start and does them again.",
        "behaviour",
    ),
    Fault(
        "no way back from a graph that raises",
        "A graph's exception leaves the frame at once: side effects before it are lost, handlers "
        "are not asked.",
        "behaviour",
    ),
    Fault(
        "in-place writes not undone",
        "A graph that raises leaves its in-place writes: the original, run from its start, does "
        "them again.",
        "behaviour",
    ),
    Fault(
        "cell not written at a break",
        "A nonlocal that was rebound before a break has its old value after it.",
        "behaviour",
    ),
    Fault(
        "global not written at a break",
        "A global that was rebound before a break has its old value after it.",
        "behaviour",
    ),
    Fault(
        "attribute not written at a break",
        "An attribute that was set before a break has its old value after it.",
        "behaviour",
    ),
    Fault(
        "first value of an attribute kept",
        "An attribute that is set twice ends with the first value.",
        "behaviour",
    ),
    Fault(
        "emptied cell holds None",
        "A nonlocal that was deleted is None.",
        "behaviour",
    ),
    Fault(
        "in-place operation erased",
        "An operation whose result nobody uses is taken out of the graph, though it wrote to a "
        "tensor.",
        "behaviour",
    ),
    Fault(
        "graph runs in one grad mode",
        "The graph does not follow no_grad: results require gradients that should not.",
        "behaviour",
    ),
)
_EVALUATION = (
    Fault(
        "defaults in the wrong order",
        "Defaults are given to parameters from the last to the first.",
        "behaviour",
    ),
    Fault(
        "star arguments counted with keywords",
        "Keyword-only parameters are counted among the positional ones: *args lacks its first.",
        "behaviour",
    ),
    Fault(
        "list folded to a constant",
        "A list that a pure function gave is a constant of the code: what one call appends to it "
        "the next one finds.",
        "behaviour",
    ),
    Fault(
        "equal taken for identical",
        "`is` compares constants by ==: a nan is not itself.",
        "behaviour",
    ),
    Fault(
        "floor division truncates",
        "// of negative ints rounds towards zero, as in C.",
        "behaviour",
    ),
    Fault(
        "conversion in a string ignored",
        "f'{s!r}' formats as f'{s}' does.",
        "behaviour",
    ),
    Fault(
        "empty cell taken for None",
        "A nonlocal that is not bound is None, without an exception.",
        "behaviour",
    ),
)
_LOOSE_GUARDS = (
    Fault(
        "stale slot",
        "Guards of free variables read the slot of the first one: a change of another is missed.",
        "guards",
    ),
    Fault(
        "free variable unguarded",
        "A constant in a free variable is not guarded: it may be rebound without being noticed.",
        "guards",
    ),
    Fault(
        "rebound cell unguarded",
        "A nonlocal number that the function rebinds is not guarded: a counter stands still.",
        "guards",
    ),
    Fault(
        "global unguarded",
        "A constant in a global is not guarded.",
        "guards",
    ),
    Fault(
        "1 taken for True",
        "Ints and bools are guarded by ==: True is accepted for 1.",
        "guards",
    ),
    Fault(
        "0.0 taken for -0.0",
        "Floats are guarded by ==: -0.0 is accepted for 0.0.",
        "guards",
    ),
    Fault(
        "one object under two names unguarded",
        "That two names lead to one object is not guarded.",
        "guards",
    ),
    Fault(
        "two objects apart unguarded",
        "That two names lead to different objects is not guarded.",
        "guards",
    ),
    Fault(
        "shared cell unguarded",
        "That two functions share a cell is not guarded: what one writes the other is taken to "
        "read.",
        "guards",
    ),
    Fault(
        "dict order unguarded",
        "A dict's keys are guarded as a set.",
        "guards",
    ),
    Fault(
        "list length unguarded",
        "A list's length is not guarded: items that were added are not seen.",
        "guards",
    ),
    Fault(
        "set contents unguarded",
        "A set's members are not guarded.",
        "guards",
    ),
    Fault(
        "absent attribute unguarded",
        "That an instance lacks an attribute, so that its class's counts, is not guarded.",
        "guards",
    ),
    Fault(
        "absent global unguarded",
        "That no global hides a builtin is not guarded.",
        "guards",
    ),
    Fault(
        "class of an instance unguarded",
        "An instance's class is not guarded: another class's methods are not seen.",
        "guards",
    ),
    Fault(
        "default argument unguarded",
        "The defaults of a called function are not guarded.",
        "guards",
    ),
    Fault(
        "keyword default unguarded",
        "The defaults of a called function's keyword-only parameters are not guarded.",
        "guards",
    ),
    Fault(
        "function code unguarded",
        "The code of a called function is not guarded: another function is not seen.",
        "guards",
    ),
    Fault("tensor dtype unguarded", "A tensor's dtype is not guarded.", "guards"),
    Fault("tensor requires_grad unguarded", "A tensor's requires_grad is not guarded.", "guards"),
    Fault("tensor strides unguarded", "A tensor's strides are not guarded.", "guards"),
    Fault("tensor shape unguarded", "A tensor's shape is not guarded.", "guards"),
    Fault("grad mode unguarded", "The state of torch is not guarded: no_grad is missed.", "guards"),
    Fault(
        "relation unguarded",
        "A comparison of an unknown int that was decided in the trace is not guarded.",
        "guards",
    ),
    Fault(
        "relation off by one",
        "The opposite of <= is taken to be >=: the bound itself is accepted.",
        "guards",
    ),
    Fault(
        "unknown number used by value",
        "A number that is not known is folded with the value of the trace.",
        "guards",
    ),
    Fault(
        "unknown floats compared by value",
        "A comparison of a float that is not known is decided by the value of the trace.",
        "guards",
    ),
)
_STRICT_GUARDS = (
    Fault(
        "cell not unboxed",
        "The content of a called function's cell is guarded on the cell: the guard never holds, "
        "each call compiles.",
        "recompile",
    ),
    Fault(
        "comparison not mirrored",
        "2 < n is guarded as n < 2, which does not hold: each call compiles.",
        "recompile",
    ),
    Fault(
        "keys compared with an iterator",
        "A dict's keys are compared with an iterator, which the first check uses up: the next one "
        "says otherwise.",
        "recompile",
    ),
    Fault(
        "tensor version guarded",
        "A tensor's version counter is guarded: any in-place write compiles anew.",
        "recompile",
    ),
    Fault(
        "unused variables guarded",
        "Every free variable is guarded, read or not: a change of no consequence compiles anew.",
        "recompile",
    ),
    Fault(
        "whole dict guarded",
        "One key that is read guards all keys: another entry compiles anew.",
        "recompile",
    ),
    Fault(
        "numbers never symbolic",
        "An int that varies is taken by value each time: each value compiles anew.",
        "recompile",
    ),
    Fault(
        "recompile limit ignored",
        "What changes in each call is compiled in each call, for ever.",
        "recompile",
    ),
)
_EXPLANATIONS = (
    Fault(
        "what is missing explained as there",
        "The check that explains lets pass what leads nowhere, which the fast one refuses.",
        "inconsistent",
    ),
    Fault(
        "state of torch not explained",
        "The check that explains does not know the guard of torch's state.",
        "inconsistent",
    ),
)

FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        *_RESUMING,
        *_REBUILDING,
        *_EFFECTS,
        *_EVALUATION,
        *_LOOSE_GUARDS,
        *_STRICT_GUARDS,
        *_EXPLANATIONS,
    )
}

_on = _checked(name.strip() for name in os.environ.get(VARIABLE, "").split(",") if name.strip())
