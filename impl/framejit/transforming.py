"""The code that runs instead of a frame's own when the guards hold.

It calls the graph, does the side effects, and then either returns, or puts the variables and the
stack as they were at the instruction that breaks the graph, runs that instruction as CPython does,
and calls the resume function with the rest.  If the graph raises, nothing has been done yet: a
copy of the original runs from the start.  If the breaking instruction raises inside a ``try``, the
original's handler, of which there is a copy too, catches it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

import torch
from bytecode import Bytecode, CompilerFlags, Instr, Label
from bytecode.instr import CellVar, FreeVar, InstrLocation, TryBegin, TryEnd

from framejit.decode import Decoded, copied
from framejit.effects import Effect
from framejit.faults import planted
from framejit.making import Maker
from framejit.resuming import (
    Point,
    Rest,
    Resume,
    Resumes,
    assembled,
    free_variables,
    run_rest,
)
from framejit.stops import Skip, Unmakeable
from framejit.trace import Trace
from framejit.units import unit_of
from framejit.values import Exception_, Null, Previous, Value


@dataclass
class State:
    """A root frame's state: at its end (``returned``), or before an instruction that breaks."""

    stack: list[Value]
    locals: dict[str, Value]
    returned: Value | None = None
    place: int = -1


@dataclass
class Transformed:
    """What was made of a trace."""

    code: CodeType
    resumes: list[Resume]


class Transformer:
    """Makes the code for one trace of a frame."""

    def __init__(
        self,
        decoded: Decoded,
        trace: Trace,
        state: State,
        resumes: Resumes,
        run_graph: Callable[[torch.fx.GraphModule, list[Any]], Callable[..., Any]],
        clone: CodeType,
    ) -> None:
        self._decoded = decoded
        self._code = decoded.code
        self._trace = trace
        self._state = state
        self._resumes = resumes
        self._run_graph = run_graph
        self._clone = clone
        self._maker = Maker(self._code.co_freevars)
        self._made_resumes: list[Resume] = []
        self._has_graph = False
        self._fallback = Label()
        self._labels: dict[int, Label] = {}
        self._handler_places: set[int] = set()

    def transform(self) -> Transformed:
        """Make it; raises Skip or Unmakeable."""
        maker = self._maker
        state = self._state
        outputs, outside = maker.gather(self._roots())
        effects = self._effects()
        if planted("effects before the graph"):
            while effects:
                maker.effect(effects.pop(0))
        self._call_graph(outputs)
        for value in outside:
            maker.load_outside(value)
        for effect in effects:
            maker.effect(effect)
        self._restore_grad_mode()
        if state.returned is not None:
            maker.load(state.returned)
            maker.emit("RETURN_VALUE")
        else:
            self._break()
        if self._has_graph:
            self._emit_fallback()
        self._copy_handlers()
        return Transformed(self._assembled(), self._made_resumes)

    def _effects(self) -> list[Effect]:
        """The side effects to do, in program order."""
        done = list(self._trace.effects.done)
        if planted("method calls replayed twice"):
            done = [effect for effect in done for _ in range(1 + (effect.kind == "call"))]
        if planted("effects in reverse"):
            done.reverse()
        if self._state.returned is None:
            if planted("cell not written at a break"):
                done = [effect for effect in done if effect.kind != "cell"]
            if planted("global not written at a break"):
                done = [effect for effect in done if effect.kind != "setglobal"]
            if planted("attribute not written at a break"):
                done = [effect for effect in done if effect.kind != "setattr"]
        return done

    def _roots(self) -> list[Value]:
        state = self._state
        roots = [state.returned] if state.returned is not None else []
        roots += [*state.stack, *self._changed_locals().values()]
        for effect in self._trace.effects.done:
            roots += effect.values
            if effect.target is not None:
                roots.append(effect.target)
            if effect.kind == "cell" and effect.target.content is not None:  # type: ignore[union-attr]
                roots.append(effect.target.content)  # type: ignore[union-attr]
        return roots

    def _changed_locals(self) -> dict[str, Value]:
        if self._state.returned is not None:
            return {}
        changed = {}
        for name, value in self._state.locals.items():
            is_own = value.origin is not None and value.origin.name == name
            if planted("local not restored after a break"):
                is_own = value.origin is not None
            is_own = is_own and value.origin.base is None  # type: ignore[union-attr]
            is_own = is_own and value.origin.load[0].name == "LOAD_FAST"  # type: ignore[union-attr]
            if not is_own:
                changed[name] = value
        return changed

    def _call_graph(self, outputs: list[Any]) -> None:
        recorder = self._trace.recorder
        if not recorder.operations and not outputs:
            return
        self._has_graph = True
        maker = self._maker
        module = recorder.finish(outputs)
        begin = TryBegin(self._fallback, False, 0)
        covered = not planted("no way back from a graph that raises")
        if covered:
            maker.out.append(begin)
        maker.function(self._run_graph(module, recorder.inputs))
        for entry in recorder.inputs:
            maker.load_origin(entry.origin)
        maker.call(len(recorder.inputs))
        if covered:
            maker.out.append(TryEnd(begin))
        if not outputs:
            maker.emit("POP_TOP")
            return
        maker.emit("UNPACK_SEQUENCE", len(outputs))
        for value in outputs:
            maker.keep(value)

    def _restore_grad_mode(self) -> None:
        mode = torch.is_grad_enabled()
        if planted("grad mode not restored at a break") and self._state.returned is None:
            return
        if mode != self._trace.recorder.entry_mode:
            self._set_grad_mode(mode)

    def _set_grad_mode(self, mode: bool) -> None:
        self._maker.function(torch._C._set_grad_enabled)
        self._maker.emit("LOAD_CONST", mode)
        self._maker.call(1)
        self._maker.emit("POP_TOP")

    # A graph break

    def _break(self) -> None:
        state, maker = self._state, self._maker
        instruction = self._decoded.instructions[state.place]
        unit = unit_of(instruction)
        stack = state.stack
        lower = self._physical(len(stack) - unit.takes)
        below = stack[: len(stack) - unit.takes]
        taken = stack[len(stack) - unit.takes :]
        self._put_variables(below, taken)
        self._push_lower(lower)
        begin = None
        if instruction.handler is not None and not planted("handler lost at a break"):
            self._handler_places.add(instruction.handler.target)
            label = self._labels.setdefault(instruction.handler.target, Label())
            begin = TryBegin(label, instruction.handler.push_lasti, instruction.handler.depth)
            maker.out.append(begin)
        for place, value in enumerate(taken):
            if isinstance(value, Null):
                maker.emit("PUSH_NULL")
            else:
                maker.emit("LOAD_FAST", f"___t{place}")
        for place, value in enumerate(taken):
            if not isinstance(value, Null):
                maker.emit("DELETE_FAST", f"___t{place}")
        jumped = Label()
        self._run_unit(state.place, jumped if unit.jumped is not None else None)
        if begin is not None:
            maker.out.append(TryEnd(begin))
        following, target = state.place + 1, instruction.target
        if planted("jump turned round at a break") and "JUMP_" in instruction.name and target:
            following, target = target, following
        if unit.continues:
            self._resume(following, below, lower, unit.leaves)
        if unit.jumped is not None:
            assert target is not None
            maker.out.append(jumped)
            kept = below
            self._resume(target, kept, lower, unit.jumped)

    def _physical(self, most: int) -> int:
        """How many values at the bottom of the stack must be there when the instruction runs."""
        instruction = self._decoded.instructions[self._state.place]
        count = instruction.handler.depth if instruction.handler is not None else 0
        for place, value in enumerate(self._state.stack):
            if isinstance(value, Previous):
                count = max(count, place + 1 if _is_alone(self._state.stack, place) else place + 2)
        if count > most:
            reason = "the graph breaks while an exception is taken from the stack"
            for value in self._state.stack:
                if isinstance(value, Previous) and isinstance(value.exception, Exception_):
                    # CPython has to raise it.
                    raise Unmakeable(value.exception, reason)
            raise Skip(reason)
        return count

    def _put_variables(self, below: list[Value], taken: list[Value]) -> None:
        maker = self._maker
        names: list[str] = []
        for name, value in self._changed_locals().items():
            maker.load(value)
            names.append(name)
        for place, value in enumerate(below):
            if isinstance(value, Previous) and _is_alone(self._state.stack, place):
                value = value.exception
            if not isinstance(value, (Null, Previous)):
                maker.load(value)
                names.append(f"___b{place}")
        for place, value in enumerate(taken):
            if not isinstance(value, Null):
                maker.load(value)
                names.append(f"___t{place}")
        for name in reversed(names):
            maker.emit("STORE_FAST", name)
        for name in self._bound_at_entry():
            if name not in self._state.locals and not planted("deleted local bound after a break"):
                maker.emit("DELETE_FAST", name)
        # What is no longer named must not be kept alive.
        for name in maker.temporaries:
            maker.emit("DELETE_FAST", name)

    def _bound_at_entry(self) -> list[str]:
        return [name for name in arguments(self._code) if name not in self._code.co_cellvars]

    def _push_lower(self, lower: int) -> None:
        for place in range(lower):
            value = self._state.stack[place]
            is_alone = _is_alone(self._state.stack, place)
            if isinstance(value, Previous) and not is_alone:
                continue
            if isinstance(value, Null):
                raise Skip("a call that is not complete, inside a handler")
            self._maker.emit("LOAD_FAST", f"___b{place}")
            if is_alone or _is_handled(self._state.stack, place):
                self._maker.emit("PUSH_EXC_INFO")
            if is_alone:
                self._maker.emit("POP_TOP")

    def _run_unit(self, place: int, jumped: Label | None) -> None:
        out = self._maker.out
        for index in range(self._decoded.unit_start(place), place + 1):
            instr = self._decoded.instructions[index].instr
            if instr.name == "LOAD_METHOD":
                out.append(Instr("LOAD_ATTR", instr.arg, location=instr.location))
            elif instr.name == "LOAD_GLOBAL":
                argument = (False, instr.arg[1])  # type: ignore[index]
                out.append(Instr("LOAD_GLOBAL", argument, location=instr.location))
            elif instr.name == "PUSH_NULL":
                continue
            elif jumped is not None and index == place:
                name = instr.name.replace("BACKWARD", "FORWARD")
                out.append(Instr(name, jumped, location=instr.location))
            else:
                out.append(instr)

    def _resume(self, place: int, below: list[Value], lower: int, leaves: str) -> None:
        maker = self._maker
        results = [i for i, kind in enumerate(leaves) if kind == "v"]
        for i in reversed(results):
            maker.emit("STORE_FAST", f"___r{i}")
        for i in reversed(range(lower)):
            if isinstance(self._state.stack[i], Previous):
                maker.emit("POP_EXCEPT")
            else:
                maker.emit("POP_TOP")
        kinds = self._kinds(below) + leaves
        if planted("result below the stack"):
            kinds = leaves + self._kinds(below)
        bound = self._locals_after(place)
        point = Point(place, kinds, bound)
        resume = self._resumes.make(self._code, point)
        self._made_resumes.append(resume)
        names = [
            f"___b{i}"
            for i, value in enumerate(below)
            if not isinstance(value, (Null, Previous)) or _is_alone(self._state.stack, i)
        ]
        if planted("stack swapped across a break"):
            names.reverse()
        left = [f"___r{i}" for i in results]
        names = [*left, *names] if planted("result below the stack") else [*names, *left]
        self._gather([*bound, *names])
        # The frame that is resumed runs the rest: a loop must not nest a call an iteration.
        is_resume = self._resumes.of(self._code) is not None
        maker.function(Rest if is_resume else run_rest)
        freevars = free_variables(resume.original)
        if planted("closure in the original's order"):
            freevars = (*resume.original.co_cellvars, *resume.original.co_freevars)
        if freevars:
            for name in freevars:
                is_free = name in self._code.co_freevars
                maker.emit("LOAD_CLOSURE", FreeVar(name) if is_free else CellVar(name))
            maker.emit("BUILD_TUPLE", len(freevars))
        maker.emit("LOAD_CONST", resume.code)
        maker.emit("MAKE_FUNCTION", 8 if freevars else 0)
        maker.emit("LOAD_FAST", _ARGUMENTS)
        maker.emit("BUILD_TUPLE", 2)
        maker.call(1)
        maker.emit("RETURN_VALUE")

    def _gather(self, names: list[str]) -> None:
        """Put variables into a list, which has them alone."""
        for name in names:
            self._maker.emit("LOAD_FAST", name)
        self._maker.emit("BUILD_LIST", len(names))
        self._maker.emit("STORE_FAST", _ARGUMENTS)
        for name in names:
            self._maker.emit("DELETE_FAST", name)

    def _kinds(self, below: list[Value]) -> str:
        kinds = ""
        for place, value in enumerate(below):
            if isinstance(value, Previous):
                kinds += "p" if _is_alone(self._state.stack, place) else ""
            elif isinstance(value, Null):
                kinds += "n"
            else:
                kinds += "e" if _is_handled(self._state.stack, place) else "v"
        return kinds

    def _locals_after(self, place: int) -> tuple[str, ...]:
        """The locals that are bound after the instruction that breaks, arguments first."""
        bound = set(self._state.locals)
        if planted("deleted local bound after a break"):
            bound.update(self._bound_at_entry())
        instruction = self._decoded.instructions[self._state.place]
        if instruction.name == "STORE_FAST":
            bound.add(instruction.argument)
        if instruction.name == "DELETE_FAST":
            bound.discard(instruction.argument)
        order = [name for name in arguments(self._code) if name in bound]
        return (*order, *sorted(bound.difference(order)))

    # What is copied from the original

    def _emit_fallback(self) -> None:
        """Where the graph has raised: run the original from its start."""
        maker = self._maker
        maker.out.append(self._fallback)
        again = Label()
        maker.emit("PUSH_EXC_INFO")
        maker.emit("LOAD_CONST", Exception)
        maker.emit("CHECK_EXC_MATCH")
        maker.out.append(Instr("POP_JUMP_FORWARD_IF_FALSE", again))
        maker.emit("POP_TOP")
        maker.emit("POP_EXCEPT")
        # The graph may have raised in another grad mode.
        self._set_grad_mode(self._trace.recorder.entry_mode)
        maker.emit("PUSH_NULL")
        if self._code.co_freevars:
            for name in self._code.co_freevars:
                maker.emit("LOAD_CLOSURE", FreeVar(name))
            maker.emit("BUILD_TUPLE", len(self._code.co_freevars))
        maker.emit("LOAD_CONST", self._clone)
        maker.emit("MAKE_FUNCTION", 8 if self._code.co_freevars else 0)
        names = arguments(self._code)
        for name in names:
            if name in self._code.co_cellvars:
                maker.emit("LOAD_DEREF", CellVar(name))
            else:
                maker.emit("LOAD_FAST", name)
        maker.call(len(names))
        maker.emit("RETURN_VALUE")
        maker.out.append(again)
        maker.emit("RERAISE", 0)

    def _copy_handlers(self) -> None:
        if self._handler_places:
            places = self._decoded.reachable(self._handler_places)
            self._maker.out.extend(copied(self._decoded, places, self._labels))

    def _assembled(self) -> CodeType:
        code = self._code
        made = Bytecode()
        made.name, made.qualname, made.filename = code.co_name, code.co_qualname, code.co_filename
        made.first_lineno = code.co_firstlineno
        made.argnames = list(arguments(code))
        made.argcount = code.co_argcount
        made.posonlyargcount = code.co_posonlyargcount
        made.kwonlyargcount = code.co_kwonlyargcount
        made.cellvars, made.freevars = list(code.co_cellvars), list(code.co_freevars)
        if planted("cells of made code reversed"):
            made.cellvars.reverse()
        made.flags = CompilerFlags(code.co_flags)
        made.docstring = self._decoded.bytecode.docstring
        for instruction in self._decoded.instructions:
            made.append(instruction.instr)
            if instruction.name == "RESUME":
                break
        where = InstrLocation(code.co_firstlineno, None, None, None)
        for item in self._maker.out:
            if isinstance(item, Instr) and item.location is None:
                item = Instr(item.name, item.arg, location=where)
            made.append(item)
        return assembled(made, code)


_ARGUMENTS = "___arguments"


def _is_alone(stack: list[Value], place: int) -> bool:
    """Whether the exception that is handled is no longer above what was handled before it."""
    value = stack[place]
    return isinstance(value, Previous) and not _is_handled(stack, place + 1)


def _is_handled(stack: list[Value], place: int) -> bool:
    below = stack[place - 1] if place else None
    return isinstance(below, Previous) and place < len(stack) and stack[place] is below.exception


def arguments(code: CodeType) -> tuple[str, ...]:
    """The names of a function's arguments, * and ** included."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS)
    count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def flattened(code: CodeType) -> CodeType:
    """A copy of a function's code that takes all its arguments by position."""
    names = arguments(code)
    return code.replace(
        co_name=f"{code.co_name}_as_it_was",
        co_argcount=len(names),
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
    )
