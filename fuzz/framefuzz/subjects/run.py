"""Running a case under a subject, call by call, to a trace."""

from __future__ import annotations

import dis
import time
from collections.abc import Iterator
from typing import Any

from framefuzz.case import Case, InvalidCase, Program, instantiate, line_in_case
from framefuzz.observe.observation import observe_after, observe_before
from framefuzz.subjects.isolation import Output, isolated
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
    with isolated(case) as output:
        return _run(case, subject, output, state_before, fresh_before, last_call)


def _run(
    case: Case,
    subject: Subject,
    output: Output,
    state_before: bool,
    fresh_before: int | None,
    last_call: int | None,
) -> Trace:
    program = instantiate(case)
    trace = Trace(subject.name, steady=program.steady)
    with subject.open(program) as session:
        iterator = program.calls()
        index = 0
        while last_call is None or index <= last_call:
            arguments = _next_arguments(program, iterator, trace)
            if arguments is None:
                break
            if index == fresh_before:
                session.forget()
            trace.calls.append(
                _one_call(program, session, output, index, arguments, state_before, trace)
            )
            # The next call must not find this one's arguments alive.
            del arguments
            index += 1
        session.collect(trace)
    if not trace.calls:
        raise InvalidCase("calls() yields nothing", case.filename, program.line_of_calls)
    return trace


def _next_arguments(
    program: Program, iterator: Iterator[tuple[Any, ...]], trace: Trace
) -> tuple[Any, ...] | None:
    """The arguments of the next call; None after the last, or where ``calls`` itself fails."""
    try:
        return next(iterator)
    except StopIteration:
        return None
    except (InvalidCase, KeyboardInterrupt):
        raise
    except BaseException as error:
        said = f"{type(error).__name__}: {error}".partition("\n")[0]
        if not trace.calls:
            where = line_in_case(program.case, error)
            raise InvalidCase(
                f"calls() fails before the first call: {said}", program.case.filename, where
            ) from error
        trace.calls_raised = said
        return None


def _one_call(
    program: Program,
    session: Session,
    output: Output,
    index: int,
    arguments: tuple[Any, ...],
    state_before: bool,
    trace: Trace,
) -> Call:
    began = time.perf_counter()
    before = observe_before(program, arguments) if state_before else Observation({})
    trace.observing += time.perf_counter() - began
    checks = session.call_begins(index, arguments)
    returned: tuple[Any, ...] = ()
    raised: BaseException | None = None
    try:
        returned = (session.fn(*arguments),)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raised = error
    verdict = session.call_ends()
    internal, own_raise = "", False
    if raised is not None:
        internal = session.internal_error(raised)
        own_raise = _is_own_raise(program, raised)
    began = time.perf_counter()
    # What was written since the last call ended, by finalizers and by calls() itself, counts.
    after = observe_after(program, arguments, returned, raised, output.take())
    trace.observing += time.perf_counter() - began
    # The frames of a traceback keep this one: what it holds would live on in a cycle with the
    # exception, or for as long as the program keeps that.
    del arguments, returned, raised
    return Call(index, before, after, verdict, checks, internal, own_raise)


def _is_own_raise(program: Program, error: BaseException) -> bool:
    """Whether a ``raise`` statement of the program's made an exception."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_filename != program.case.filename:
        return False
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
