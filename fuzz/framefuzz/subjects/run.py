"""Running a case under a subject, call by call, to a trace."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator
from typing import Any

import torch

from framefuzz.case import Case, InvalidCase, Program, instantiate, line_in_case
from framefuzz.observe.observation import observe_after, observe_before
from framefuzz.subjects.protocol import Session, Subject
from framefuzz.trace import Call, Observation, Trace


def run(
    case: Case,
    subject: Subject,
    *,
    state_before: bool = False,
    fresh_before: int | None = None,
    last_call: int | None = None,
) -> Trace:
    """Run a case under a subject and return what it did.

    ``state_before`` also observes the state before each call; ``fresh_before`` makes the subject
    forget what it compiled just before that call; ``last_call`` ends the run after that call.

    Raises InvalidCase if the file breaks the protocol or fails before its first call.
    """
    with _clean_modes():
        program = instantiate(case)
        trace = Trace(subject.name, steady=program.steady)
        with subject.open(program) as session:
            _run_calls(program, session, trace, state_before, fresh_before, last_call)
            session.collect(trace)
    return trace


def _run_calls(
    program: Program,
    session: Session,
    trace: Trace,
    state_before: bool,
    fresh_before: int | None,
    last_call: int | None,
) -> None:
    iterator = program.calls()
    index = -1
    while last_call is None or index < last_call:
        try:
            arguments = next(iterator)
        except StopIteration:
            break
        except InvalidCase:
            raise
        except Exception as error:
            if not trace.calls:
                said = f"{type(error).__name__}: {error}".partition("\n")[0]
                where = line_in_case(program.case, error)
                raise InvalidCase(
                    f"calls() fails before the first call: {said}", program.case.filename, where
                ) from error
            trace.calls_raised = f"{type(error).__name__}: {error}".partition("\n")[0]
            break
        index += 1
        if index == fresh_before:
            session.forget()
        trace.calls.append(_one_call(program, session, index, arguments, state_before))
        # The next call must not find this one's arguments alive.
        del arguments
    if not trace.calls:
        raise InvalidCase("calls() yields nothing", program.case.filename, program.line_of_calls)


def _one_call(
    program: Program,
    session: Session,
    index: int,
    arguments: tuple[Any, ...],
    state_before: bool,
) -> Call:
    before = observe_before(program, arguments) if state_before else Observation({})
    checks = session.call_begins(index, arguments)
    stdout = io.StringIO()
    returned: tuple[Any, ...] = ()
    raised: BaseException | None = None
    with contextlib.redirect_stdout(stdout):
        try:
            returned = (session.fn(*arguments),)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raised = error
    verdict = session.call_ends()
    internal = "" if raised is None else session.internal_error(raised)
    after = observe_after(program, arguments, returned, raised, stdout.getvalue())
    return Call(index, before, after, verdict, checks, internal)


@contextlib.contextmanager
def _clean_modes() -> Iterator[None]:
    """Start from known modes and seeds, and leave none behind for the next program."""
    # Not torch.manual_seed: it formats a stack for each call, to seed devices that come later.
    torch.default_generator.manual_seed(0)
    random.seed(0)
    try:
        with torch.set_grad_enabled(True):
            yield
    finally:
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)
