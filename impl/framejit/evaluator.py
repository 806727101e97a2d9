"""Steps through a function's instructions with symbolic values.

One loop serves the root frame, the functions that it calls and the generators that it runs.  What
an instruction does is in ``opcodes``; what a call does, in ``calls``.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, NoReturn, TypeVar

from framejit.decode import ByIdentity, Decoded, Instruction, decode
from framejit.origins import Origin
from framejit.stops import Break, Exhausted, Raised
from framejit.trace import Trace
from framejit.values import Cell, Const, Exception_, Function, Generator, Lazy, Value

MAX_DEPTH = 20
# Instructions in one trace: a loop that is longer is left to CPython.
MAX_STEPS = 40_000


class Frame:
    """A frame that is being stepped through."""

    def __init__(
        self,
        decoded: Decoded,
        globals_: dict[str, Any],
        globals_origin: Origin | None,
        depth: int,
    ) -> None:
        self.decoded = decoded
        self.globals = globals_
        self.globals_origin = globals_origin
        self.depth = depth
        self.place = 0
        self.stack: list[Value] = []
        self.locals: dict[str, Value] = {}
        self.cells: dict[str, Cell] = {}
        self.keywords: tuple[str, ...] = ()
        self.function: Function | None = None
        self.returned: Value | None = None
        self.yielded: Value | None = None

    @property
    def is_root(self) -> bool:
        """Whether this is the frame that is compiled, not one that it calls."""
        return self.depth == 0

    def push(self, value: Value) -> None:
        """Push a value."""
        self.stack.append(value)

    def pop(self) -> Value:
        """Pop a value, as it is: it may not have been looked at."""
        return self.stack.pop()

    def pop_many(self, count: int) -> list[Value]:
        """Pop some values; the topmost is the last."""
        if not count:
            return []
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    def jump(self, instruction: Instruction) -> None:
        """Go on at the target of an instruction."""
        assert instruction.target is not None
        self.place = instruction.target


_V = TypeVar("_V", bound=Value)
Operation = Callable[["Evaluator", Frame, Instruction], None]


class Evaluator:
    """Evaluates frames for one trace."""

    def __init__(
        self, trace: Trace, operations: dict[str, Operation], breaking: set[ByIdentity]
    ) -> None:
        """``breaking`` are codes known to break the graph; it gets those that are found to."""
        self.trace = trace
        self.operations = operations
        self.breaking = breaking
        self.steps = 0
        # Exceptions that are being handled, innermost last.
        self.handled: list[Value] = []

    def breaks_in(self, code: CodeType) -> bool:
        """Whether the graph is known to break in a function: it is not stepped into."""
        return ByIdentity(code) in self.breaking

    def look(self, value: Value) -> Value:
        """What a value is, guarded if it is from outside."""
        return self.trace.look(value) if type(value) is Lazy else value

    def step(self, frame: Frame) -> None:
        """Evaluate one instruction; an exception that the frame handles becomes a jump."""
        instruction = frame.decoded.instructions[frame.place]
        frame.place += 1
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Break("more instructions than a trace may have")
        operation = self.operations.get(instruction.name)
        if operation is None:
            raise Break(f"instruction {instruction.name}")
        try:
            operation(self, frame, instruction)
        except Raised as raised:
            self._handle(frame, instruction, raised)

    def _handle(self, frame: Frame, instruction: Instruction, raised: Raised) -> None:
        handler = instruction.handler
        if handler is None:
            raise raised
        del frame.stack[handler.depth :]
        if handler.push_lasti:
            frame.push(Const(0))
        frame.push(raised.value)
        frame.place = handler.target

    def run(self, frame: Frame) -> Value:
        """Evaluate a called frame to its end; what it returns."""
        if frame.depth > MAX_DEPTH:
            raise Break("calls that are nested too deeply")
        handled = len(self.handled)
        try:
            while frame.returned is None:
                self.step(frame)
        except Break:
            self.breaking.add(ByIdentity(frame.decoded.code))
            raise
        finally:
            del self.handled[handled:]
        return frame.returned

    def advance(self, generator: Generator) -> Value:
        """The next value of a generator; raises Exhausted with what it returns."""
        frame: Frame = generator.frame
        if generator.finished:
            raise Exhausted(Const(None))
        if generator.running:
            raise Break("generator that runs already")
        self.trace.touch()
        handled = len(self.handled)
        generator.running = True
        try:
            while frame.returned is None:
                self.step(frame)
                if frame.yielded is not None:
                    value, frame.yielded = frame.yielded, None
                    return value
        except Raised:
            generator.finished = True
            raise
        finally:
            generator.running = False
            if len(self.handled) > handled:
                raise Break("generator that yields while it handles an exception")
        generator.finished = True
        raise Exhausted(frame.returned)

    def raise_(self, error: BaseException) -> NoReturn:
        """Raise, in the traced program, the exception that a constant operation raised."""
        raise Raised(self.exception(type(error), [Const(a) for a in error.args]))

    def exception(self, cls: type[BaseException], arguments: list[Value]) -> Exception_:
        """A new exception, born now."""
        value = Exception_(cls, arguments)
        value.born = self.trace.visits
        return value

    def born(self, value: _V) -> _V:
        """Note where a value came to be."""
        value.born = self.trace.visits
        return value

    def frame_for(self, function: Function, depth: int) -> Frame:
        """A frame for a call of a function, without its arguments."""
        frame = Frame(decode(function.code), function.globals, function.globals_origin, depth)
        frame.function = function
        frame.cells = dict(zip(function.code.co_freevars, function.cells, strict=True))
        return frame
