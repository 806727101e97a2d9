"""Decides for each frame that no entry fits whether to compile it, and does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

import torch
from torch._C._dynamo import eval_frame as dynamo

from framejit import _native as native
from framejit._native import Entry, Frame, Guard
from framejit.backends import Backend, runner
from framejit.calls import is_foreign
from framejit.decode import ByIdentity
from framejit.faults import planted
from framejit.opcodes import operations
from framejit.resuming import Resumes
from framejit.stops import Skip
from framejit.trace import VARIES
from framejit.tracing import Memory, Traced, Tracer

# Compiled versions of one code object; after that it runs as it is.
RECOMPILE_LIMIT = 8

# Code that can see its own frame's variables, or objects die: it would see what was made of it.
_SEEING = frozenset({"locals", "vars", "eval", "exec", "dir", "_getframe", "currentframe"})


@dataclass(frozen=True)
class Compiled:
    """A frame was compiled: the code it had, the code that was made, and from what."""

    code: CodeType
    made: CodeType
    resumes: tuple[CodeType, ...]
    guards: tuple[Guard, ...]
    entry: Entry
    graph: torch.fx.GraphModule | None
    runner: Callable[..., Any] | None
    operations: int
    reason: str
    line: int | None


@dataclass(frozen=True)
class Skipped:
    """A code object is left to CPython, and why; ``error`` if framejit itself failed."""

    code: CodeType
    reason: str
    error: BaseException | None = None


Event = Compiled | Skipped

# Called with each event.
listeners: list[Callable[[Event], None]] = []

_memories: dict[ByIdentity, Memory] = {}
_counts: dict[ByIdentity, int] = {}
_breaking: set[ByIdentity] = set()
_resumes = Resumes()


def reset() -> None:
    """Forget everything that was compiled, and why."""
    native.reset()
    _memories.clear()
    _counts.clear()
    _breaking.clear()
    _resumes.clear()


class Compiler:
    """What the native core calls for frames that no entry fits."""

    def __init__(self, backend: str | Backend) -> None:
        self._backend = backend
        self._operations = operations()
        self._graph: torch.fx.GraphModule | None = None
        self._run: Callable[..., Any] | None = None

    def __call__(self, frame: Frame) -> None:
        # What torch.compile is at work on is its own; and it is not to compile what runs here.
        at_work = dynamo.set_eval_frame(None)
        try:
            if at_work is None:
                self._consider(frame)
        finally:
            dynamo.set_eval_frame(at_work)

    def _consider(self, frame: Frame) -> None:
        code = frame.code
        if is_foreign(code, frame.globals):
            native.skip(code, "not the program's code")
            return
        reason = _reason_to_leave(code)
        if reason:
            self._leave(code, reason)
            return
        count = _counts.get(ByIdentity(code), 0)
        if count >= RECOMPILE_LIMIT and not planted("recompile limit ignored"):
            self._leave(code, f"compiled {RECOMPILE_LIMIT} times already")
            return
        if _is_watched():
            # This time only: the next call may be another's.
            _tell(Skipped(code, "a mode or hook watches what tensors do"))
            return
        try:
            self._compile(frame)
        except Skip as skip:
            self._leave(code, skip.reason)
        except RecursionError:
            self._leave(code, "values or calls that are nested too deeply")
        except Exception as error:
            # Whatever is wrong here must not reach the program.
            self._leave(code, f"internal error: {type(error).__name__}: {error}", error)

    def _leave(self, code: CodeType, reason: str, error: BaseException | None = None) -> None:
        native.skip(code, reason)
        _tell(Skipped(code, reason, error))

    def _compile(self, frame: Frame) -> None:
        code = frame.code
        key = ByIdentity(code)
        memory = _memories.setdefault(key, Memory(_breaking))
        self._graph = self._run = None
        traced = Tracer(frame, self._operations, memory, _resumes, self._runner).trace()
        _remember(memory, traced)
        guards = tuple(traced.trace.guards.finished())
        entry = native.install(code, traced.transformed.code, guards)
        _counts[key] = _counts.get(key, 0) + 1
        _tell(
            Compiled(
                code,
                traced.transformed.code,
                tuple(resume.code for resume in traced.transformed.resumes),
                guards,
                entry,
                self._graph,
                self._run,
                traced.trace.recorder.operations,
                traced.reason,
                traced.line,
            )
        )

    def _runner(self, module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self._graph = module
        self._run = runner(self._backend, module, inputs)
        return self._run


def _is_watched() -> bool:
    """Whether what tensors do is seen by modes or hooks, which may be others in each call."""
    if torch._C._len_torch_dispatch_stack() or torch._C._len_torch_function_stack():
        return True
    # Added in torch 2.5.
    hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return hooks is not None and hooks(True) is not None


def _hide_from_dynamo(code: CodeType) -> None:
    if hasattr(dynamo, "skip_code"):  # in older versions of PyTorch
        dynamo.skip_code(code)
        return
    skip, default = dynamo._FrameAction.SKIP, dynamo._FrameAction.DEFAULT
    dynamo.set_code_exec_strategy(code, dynamo._FrameExecStrategy(skip, default))


_hide_from_dynamo(Compiler.__call__.__code__)


def _remember(memory: Memory, traced: Traced) -> None:
    for text, value in traced.trace.numbers.items():
        before = memory.numbers.get(text, value)
        same = before is not VARIES and type(before) is type(value) and before == value
        memory.numbers[text] = value if same else VARIES


def _reason_to_leave(code: CodeType) -> str:
    seeing = _SEEING.intersection(code.co_names)
    if seeing:
        return f"uses {min(seeing)}()"
    if "__class__" in code.co_freevars and code.co_argcount:
        if code.co_varnames[0] in code.co_cellvars:
            return "super() in a method whose self is a cell"
    return ""


def _tell(event: Event) -> None:
    for listener in listeners:
        listener(event)
