"""Judging one case: run it under eager and under a subject, and ask every oracle."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from framefuzz import tolerances
from framefuzz.case import Case, InvalidCase
from framefuzz.judgement import Judgement, Status
from framefuzz.oracles import (
    attribution,
    behaviour,
    guards,
    inconsistent,
    order,
    recompile,
    survival,
)
from framefuzz.oracles.difference import HOOKS, Comparison
from framefuzz.oracles.evidence import Evidence
from framefuzz.subjects.eager import EagerSubject, WatchedEager
from framefuzz.subjects.protocol import Subject
from framefuzz.subjects.run import run
from framefuzz.trace import Divergence, Trace

# The most specific first: of two oracles that object to one event the first names it.
ORACLES: dict[str, Callable[[Evidence], Iterator[Divergence]]] = {
    survival.NAME: survival.judge,
    guards.NAME: guards.judge,
    behaviour.NAME: behaviour.judge,
    order.NAME: order.judge,
    inconsistent.NAME: inconsistent.judge,
    recompile.NAME: recompile.judge,
}


@dataclass(frozen=True)
class Options:
    """What to leave out: oracles by name, and tolerances that are not to hold."""

    ignore: frozenset[str] = frozenset()
    strict: frozenset[str] = frozenset()

    @property
    def tolerances(self) -> frozenset[str]:
        """The tolerances that hold."""
        return tolerances.ALL - self.strict


def judge(
    case: Case,
    subject: Subject,
    options: Options | None = None,
    announce: Callable[[str], None] = lambda phase: None,
) -> Judgement:
    """Run a case and judge it.

    ``announce`` is told ``eager``, ``subject`` or ``oracles`` before each phase starts, so that
    whoever watches the process knows whose doing its death is.
    """
    return judge_each(case, [subject], options, announce)[0]


def judge_each(
    case: Case,
    subjects: Sequence[Subject],
    options: Options | None = None,
    announce: Callable[[str], None] = lambda phase: None,
) -> list[Judgement]:
    """Run a case under eager once and under each subject; judge it for each, and who agrees.

    As ``judge``; with several subjects the phase ``subject`` is announced with its name after it.
    The seconds under eager count for the first subject.
    """
    options = options or Options()
    several = len(subjects) > 1
    clocks = [_Clock(announce) for _ in subjects]
    judged: list[_Judged] = []
    try:
        with clocks[0].phase("eager"):
            eager = run(case, EagerSubject(), state_before=True)
        clocks[0].set_apart("observe", "eager", eager.observing)
        traces = []
        for subject, clock in zip(subjects, clocks, strict=True):
            with clock.phase("subject", subject.name if several else ""):
                trace = run(case, subject)
            clock.set_apart("observe", "subject", trace.observing)
            traces.append(trace)
        for subject, clock, trace in zip(subjects, clocks, traces, strict=True):
            with clock.phase("oracles"):
                judged.append(_Judged(trace, _ask(case, subject, options, eager, trace)))
    except InvalidCase as error:
        return [
            Judgement(
                case.name,
                subject.name,
                "invalid",
                message=str(error),
                line=error.line,
                seconds=clock.seconds,
            )
            for subject, clock in zip(subjects, clocks, strict=True)
        ]
    verdicts = {one.trace.subject: one.verdicts for one in judged}
    attribution.attribute({one.trace.subject: one.outcome for one in judged})
    return [
        Judgement(
            case.name,
            one.trace.subject,
            one.status,
            one.outcome.divergences,
            len(one.trace.codes),
            one.trace.graphs,
            len(one.trace.breaks),
            one.verdicts,
            one.trace.skips,
            _ended_early(eager),
            seconds=clock.seconds,
            side_by_side=verdicts if several else {},
        )
        for one, clock in zip(judged, clocks, strict=True)
    ]


@dataclass(frozen=True)
class _Judged:
    """A subject's trace, and what the oracles say of it."""

    trace: Trace
    outcome: attribution.Outcome

    @property
    def verdicts(self) -> list[str]:
        return [call.verdict.kind for call in self.trace.calls]

    @property
    def status(self) -> Status:
        if self.outcome.divergences:
            return "diverges"
        return "vacuous" if self.trace.vacuous else "same"


def _ended_early(eager: Trace) -> str:
    """That the case's own ``calls`` raised, which is the author's business to know."""
    if not eager.calls_raised:
        return ""
    return f"calls() ends after {len(eager.calls)} calls: {eager.calls_raised}"


def _ask(
    case: Case, subject: Subject, options: Options, eager: Trace, trace: Trace
) -> attribution.Outcome:
    hooked = HOOKS.search(case.source) is not None and bool(trace.codes)
    comparison = Comparison(subject.exact, options.tolerances, hooked)
    call, difference = behaviour.first_difference(eager, trace, comparison)
    if difference is not None:
        _require_determinism(case, eager)
    evidence = Evidence(
        eager,
        trace,
        comparison,
        trace.steady,
        difference,
        call,
        lambda fresh: run(case, subject, fresh_before=fresh, last_call=fresh),
        lambda: _watch(case, eager),
    )
    divergences = [
        divergence
        for name, oracle in ORACLES.items()
        if name not in options.ignore
        for divergence in oracle(evidence)
    ]
    return attribution.Outcome(difference, call, divergences, trace.vacuous)


def _watch(case: Case, eager: Trace) -> list[bytes] | None:
    """What the program's frames held during each call; None if it does not repeat."""
    watched = WatchedEager()
    again = run(case, watched)
    _, difference = behaviour.first_difference(eager, again, Comparison(True, tolerances.ALL))
    return watched.seen if difference is None else None


def _require_determinism(case: Case, eager: Trace) -> None:
    """Raise InvalidCase if eager CPython does not agree with itself."""
    again = run(case, EagerSubject())
    _, difference = behaviour.first_difference(eager, again, Comparison(True, tolerances.ALL))
    if difference is not None:
        raise InvalidCase(
            f"does not repeat under eager: {difference.path} differs from run to run",
            case.filename,
        )


class _Clock:
    """Adds up the seconds of CPU and waiting that each phase takes."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self.seconds: dict[str, float] = {}
        self._announce = announce
        self._name = ""
        self._start = 0.0

    def phase(self, name: str, of: str = "") -> _Clock:
        """Enter a phase, of a subject where there are several; a context manager."""
        self._announce(f"{name} {of}" if of else name)
        self._name = name
        return self

    def set_apart(self, name: str, phase: str, took: float) -> None:
        """Count seconds that a phase took under another name."""
        self.seconds[phase] -= took
        self.seconds[name] = self.seconds.get(name, 0.0) + took

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *exception: object) -> None:
        took = time.perf_counter() - self._start
        self.seconds[self._name] = self.seconds.get(self._name, 0.0) + took
