"""How each entry of a function judges a call, asked without running the call.

Guards read variables where they lie in a frame, so there has to be a frame: that of a probe, a
function with the same parameters, cells and free variables whose body returns at once.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

from framejit import _native as native
from framejit._native import Design, Entry, Failure, Frame
from framejit.faults import planted

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Answer:
    """How one entry judges a call.

    ``fast`` is what decides in earnest; ``explained`` the check that names the guard that did not
    hold, ``failure``; ``by_dict`` the fast check over a dict of the frame's variables, as before
    PyTorch PR 140063.  The three have to agree.
    """

    entry: Entry
    fast: bool
    explained: bool
    by_dict: bool
    failure: Failure | None


def ask(function: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Answer]:
    """How each entry of a function or method judges a call with these arguments, in order.

    ``function`` is what was given to ``compile``.  There are no answers where it has no entries,
    is no Python function, or does not take the arguments.
    """
    if type(function) is MethodType:
        args = (function.__self__, *args)
        function = function.__func__
    if type(function) is not FunctionType or function.__code__.co_flags & _GENERATORS:
        return []
    entries = native.entries(function.__code__)
    if not entries:
        return []

    def answers(frame: Frame) -> list[Answer]:
        return [_answer(frame, entry) for entry in entries]

    return _at_entry(function, answers, args, kwargs)


def _answer(frame: Frame, entry: Entry) -> Answer:
    failure = entry.explain(frame)
    if failure is not None and (
        (planted("what is missing explained as there") and failure.kind == "missing")
        or (planted("state of torch not explained") and failure.source == "global state")
    ):
        failure = None
    return Answer(
        entry, entry.check(frame), failure is None, entry.check(frame, Design.DICT), failure
    )


def _at_entry(
    function: FunctionType,
    look: Callable[[Frame], list[Answer]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> list[Answer]:
    code = _returning_at_once(function.__code__)
    probe = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    probe.__kwdefaults__ = function.__kwdefaults__
    answers: list[Answer] = []

    def callback(frame: Frame) -> None:
        if frame.code is code:
            answers.extend(look(frame))

    before = native.begin(callback)
    try:
        probe(*args, **kwargs)
    except TypeError:
        # The arguments do not fit; the body cannot raise.
        return []
    finally:
        native.end(before)
    return answers


def _returning_at_once(code: CodeType) -> CodeType:
    """Code with the same variables that returns None, and has no entries."""
    body = (("RESUME", 0), ("LOAD_CONST", 0), ("RETURN_VALUE", 0))
    return code.replace(
        co_code=b"".join(bytes((dis.opmap[name], argument)) for name, argument in body),
        co_consts=(None,),
        co_names=(),
        co_stacksize=1,
        co_exceptiontable=b"",
    )
