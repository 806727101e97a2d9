"""Timing calls against each other, and the table of what came out."""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice, repeat, starmap
from typing import Any

Calls = Sequence[tuple[Any, ...]]  # the argument tuples that are called in turn


@dataclass
class Row:
    what: str
    mode: str
    ours: float
    baseline: float
    against: str
    goal: float | None  # what the value may be at most; None: it is only shown
    value: float
    unit: str
    met: bool | None = field(init=False)

    def __post_init__(self) -> None:
        self.met = None if self.goal is None else self.value <= self.goal


@dataclass
class Report:
    rows: list[Row] = field(default_factory=list)
    parity: list[dict[str, str]] = field(default_factory=list)

    def ratio(
        self, what: str, mode: str, ours: float, base: float, against: str, goal: float | None
    ) -> None:
        self.rows.append(Row(what, mode, ours, base, against, goal, ours / base, "ratio"))

    def difference(
        self, what: str, ours: float, base: float, against: str, goal: float | None
    ) -> None:
        self.rows.append(Row(what, "loop", ours, base, against, goal, ours - base, "ns"))

    def print(self) -> None:
        width = max(len(row.what) for row in self.rows)
        print(f"{'what':<{width}}  mode    {'ours ns':>10} {'other ns':>10} {'value':>8}  goal")
        for row in self.rows:
            goal = "shown"
            if row.goal is not None:
                unit = " ns" if row.unit == "ns" else ""
                goal = f"<= {row.goal:g}{unit}  {'met' if row.met else 'MISSED'}"
            value = f"{row.value:.3f}" if row.unit == "ratio" else f"{row.value:.1f}"
            print(
                f"{row.what:<{width}}  {row.mode:<6}  {row.ours:>10.1f} {row.baseline:>10.1f} "
                f"{value:>8}  {goal}  ({row.against})"
            )
        if self.parity:
            width = max(len(row["torch"]) for row in self.parity)
            print(f"\n{'torch checks':<{width}}  framejit checks")
            for fact in self.parity:
                print(f"{fact['torch']:<{width}}  {fact['framejit']}")


def median_of(reports: list[Report]) -> Report:
    """One report of the median of each row's figures over several runs."""
    merged = Report(parity=reports[-1].parity)
    for rows in zip(*(report.rows for report in reports), strict=True):
        middle = {
            name: statistics.median(getattr(row, name) for row in rows)
            for name in ("ours", "baseline", "value")
        }
        merged.rows.append(replace(rows[0], **middle))
    return merged


class Timer:
    def __init__(self, quick: bool) -> None:
        # Many short rounds: a loop that is shorter than the scheduler's slice has a chance not to
        # be interrupted, and the best of many is then a figure of the code, not of the machine.
        self.rounds = 40 if quick else 150
        self.loop_seconds = 0.001
        self.singles = 300 if quick else 2000

    def loop(
        self, setups: dict[str, Callable[[], Callable[..., Any]]], calls: Calls
    ) -> dict[str, float]:
        """Nanoseconds a call of what each setup returns; setups take turns."""
        best: dict[str, float] = {}
        counts: dict[str, int] = {}
        for _ in range(self.rounds):
            for name, setup in setups.items():
                function = setup()
                count = counts.get(name)
                if count is None:
                    pace = min(self.run(function, calls, 50) for _ in range(5))
                    count = counts[name] = max(2 * len(calls), int(self.loop_seconds * 1e9 / pace))
                best[name] = min(best.get(name, 1e18), self.run(function, calls, count))
        return best

    @staticmethod
    def run(function: Callable[..., Any], calls: Calls, count: int) -> float:
        arguments = repeat(calls[0], count) if len(calls) == 1 else islice(cycle(calls), count)
        start = time.perf_counter_ns()
        deque(starmap(function, arguments), maxlen=0)
        return (time.perf_counter_ns() - start) / count

    def single(
        self, setups: dict[str, Callable[[], Callable[..., Any]]], calls: Calls
    ) -> dict[str, float]:
        """Median nanoseconds of one call alone, less the clock's cost."""
        clock = time.perf_counter_ns
        empty = statistics.median(-(clock() - clock()) for _ in range(2000))
        samples: dict[str, list[int]] = {name: [] for name in setups}
        for at in range(self.singles):
            for name, setup in setups.items():
                function = setup()
                arguments = calls[at % len(calls)]
                self.displace()
                start = clock()
                function(*arguments)
                samples[name].append(clock() - start)
        return {name: statistics.median(times) - empty for name, times in samples.items()}

    def displace(self) -> None:
        """Uses up the free lists of dicts, lists, floats and tuples (CPython keeps 80 to 2,000)."""
        self.kept = [{i: [i], "k": (i + 0.5,)} for i in range(100)]


def returning(function: Callable[..., Any], *steps: Callable[[], Any]) -> Callable[[], Any]:
    """A setup that takes the steps and returns the function."""

    def setup() -> Callable[..., Any]:
        for step in steps:
            step()
        return function

    return setup
