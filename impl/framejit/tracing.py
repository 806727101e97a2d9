"""Traces a frame: from its start to its end, or to the instruction that breaks the graph.

Where an instruction has done something before it turned out to break, or where a value cannot be
made, tracing begins anew and stops before that instruction; the same where a number was needed by
value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import CellType, CodeType
from typing import Any

import torch

from framejit import _native as native
from framejit import origins
from framejit._native import Frame as NativeFrame
from framejit.decode import ByIdentity, Decoded, decode
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.faults import planted
from framejit.resuming import Resumes
from framejit.stops import Break, MadeStatic, Raised, Skip, Unmakeable
from framejit.trace import Trace, check_no_finalizer
from framejit.transforming import State, Transformed, Transformer, arguments, flattened
from framejit.values import Const, is_number

MAX_RESTARTS = 40


@dataclass
class Memory:
    """What tracing has learnt: about one code object, or about all (``breaking``)."""

    breaking: set[ByIdentity]
    numbers: dict[str, Any] = field(default_factory=dict)
    clone: CodeType | None = None

    def clone_of(self, code: CodeType) -> CodeType:
        """A copy of the code to run when a graph has raised, which is never compiled itself."""
        if self.clone is None:
            self.clone = flattened(code)
            native.skip(self.clone, "runs because a graph has raised")
        return self.clone


@dataclass
class Traced:
    """A frame traced and transformed."""

    trace: Trace
    transformed: Transformed
    reason: str
    line: int | None


class _Restart(Exception):
    """Trace again, and break at this visit."""

    def __init__(self, visit: int, reason: str) -> None:
        super().__init__()
        self.visit = visit
        self.reason = reason


class Tracer:
    """Traces frames of one code object."""

    def __init__(
        self,
        frame: NativeFrame,
        operations: dict[str, Operation],
        memory: Memory,
        resumes: Resumes,
        run_graph: Callable[[torch.fx.GraphModule, list[Any]], Callable[..., Any]],
    ) -> None:
        self._native = frame
        self._operations = operations
        self._memory = memory
        self._resumes = resumes
        self._run_graph = run_graph
        self._decoded: Decoded = decode(frame.code)
        for instruction in self._decoded.instructions:
            if instruction.name == "LOAD_BUILD_CLASS":
                raise Skip("makes a class, which is another one in each call")
        self._reason = ""

    def trace(self) -> Traced:
        """Trace the frame; raises Skip if it is to be left to CPython."""
        forced: dict[int, str] = {}
        static: frozenset[str] = frozenset()
        mode = torch.is_grad_enabled()
        for _ in range(MAX_RESTARTS):
            try:
                return self._once(forced, static)
            except _Restart as restart:
                forced[restart.visit] = restart.reason
            except MadeStatic as made:
                if made.inputs <= static:
                    raise Skip("number that is needed by value, and has no place") from None
                static |= made.inputs
            except Unmakeable as unmakeable:
                born = unmakeable.value.born
                if born < 1 or born in forced:
                    raise Skip(unmakeable.reason) from None
                forced[born] = unmakeable.reason
            finally:
                torch._C._set_grad_enabled(mode)
        raise Skip("tracing begins anew too often")

    def _once(self, forced: dict[int, str], static: frozenset[str]) -> Traced:
        trace = Trace(self._native.globals, self._memory.numbers, static)
        frame = self._root(trace)
        evaluator = Evaluator(trace, self._operations, self._memory.breaking)
        state = self._run(evaluator, frame, forced)
        if state.returned is not None and not trace.recorder.operations:
            raise Skip("no operation on a tensor")
        if any(generator.may_be_closed(state.returned is None) for generator in trace.closing):
            raise Skip("generator that is left in a try: it would see what is kept alive")
        transformed = Transformer(
            self._decoded,
            trace,
            state,
            self._resumes,
            self._run_graph,
            self._memory.clone_of(self._decoded.code),
        ).transform()
        line = self._decoded.instructions[state.place].line if state.returned is None else None
        return Traced(trace, transformed, self._reason, line)

    def _root(self, trace: Trace) -> Frame:
        code = self._decoded.code
        frame = Frame(self._decoded, self._native.globals, None, 0)
        for name in arguments(code):
            if name in code.co_cellvars:
                frame.locals[name] = trace.found(self._native.cell(name), origins.cell(name))
            else:
                local = self._native.local(name)
                check_no_finalizer(type(local))
                frame.locals[name] = trace.found(local, origins.local(name))
        function = self._native.function
        closure = (function.__closure__ if function is not None else None) or ()
        for name, cell in zip(code.co_freevars, closure, strict=True):
            origin = origins.free(name)
            if planted("stale slot"):
                origin = replace(origin, source=origins.free(code.co_freevars[0]).source)
            frame.cells[name] = trace.cell_of_frame(cell, name, origin)
            if planted("rebound cell unguarded") and self._rebinds(name, cell):
                frame.cells[name].content = Const(cell.cell_contents, origin)
            content = frame.cells[name].content
            if planted("unused variables guarded") and content is not None:
                trace.look(content)
        return frame

    def _rebinds(self, name: str, cell: CellType) -> bool:
        """Whether the code stores to a free variable that holds a number."""
        stores = [i for i in self._decoded.instructions if i.name == "STORE_DEREF"]
        is_stored = any(instruction.argument.name == name for instruction in stores)
        return is_stored and is_number(getattr(cell, "cell_contents", None))

    def _run(self, evaluator: Evaluator, frame: Frame, forced: dict[int, str]) -> State:
        trace = evaluator.trace
        self._reason = ""
        while frame.returned is None:
            trace.visits += 1
            place, stack, variables = frame.place, list(frame.stack), dict(frame.locals)
            before, mark = trace.state(), trace.guards.mark()
            try:
                if trace.visits in forced:
                    raise Break(forced[trace.visits])
                evaluator.step(frame)
            except Break as broken:
                self._reason = broken.reason
            except Raised:
                self._reason = "exception that leaves the frame"
            else:
                continue
            if trace.state() != before and not planted("half a call kept at a break"):
                raise _Restart(trace.visits, self._reason)
            # CPython runs this instruction, whatever it finds there.
            trace.guards.drop_since(mark)
            return State(stack, variables, place=place)
        return State([], frame.locals, returned=frame.returned)
