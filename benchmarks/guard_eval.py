"""What guards and frame evaluation cost, each compared with its baseline in one run.

    python benchmarks/guard_eval.py [--json] [--quick] [--only PART] [--runs N] [--plot FILE.png]

Every figure is nanoseconds a call, the best of several rounds in which the things compared take
turns. `loop` calls in a tight loop driven from C; `single` is one call at a time, timed alone,
after ordinary work that uses up what the last call left in CPython's free lists (the median, less
the clock's own cost). A guard's cost is the difference to the same call with an empty guard
program. The torch rows time torch.compile's own hook and framejit's over the very same code
object, in one process; what each of them checks is listed side by side.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from types import FunctionType
from typing import Any

from guard_timing import Report, Timer, median_of, returning

from framejit import _native as native

Source, Guard, Design = native.Source, native.Guard, native.Design


def function_of(arguments: int, free: int = 0, cells: int = 0, name: str = "f") -> FunctionType:
    """`def f(a0, a1, ...)` that uses `free` free variables, with `cells` arguments in cells."""
    names = ", ".join(f"a{i}" for i in range(arguments))
    outer = ", ".join(f"u{i}" for i in range(free))
    uses = [f"u{i}" for i in range(free)]
    captured = [f"a{i}" for i in range(cells)]
    body = f"  if 0:\n   [{', '.join(uses)}]\n   lambda: [{', '.join(captured)}]\n  return None\n"
    text = f"def outer({outer}):\n def {name}({names}):\n{body} return {name}\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["outer"](*range(free))  # type: ignore[no-any-return]


def type_guards(arguments: int, free: int = 0) -> list[Any]:
    sources = [Source.local(f"a{i}") for i in range(arguments)]
    sources += [Source.free(f"u{i}") for i in range(free)]
    return [Guard.type(source, int) for source in sources]


def guarded(function: FunctionType, guards: list[Any], design: Any) -> Callable[[], Any]:
    """A setup under which calls of the function check the guards, then run its own code."""
    native.enable()
    native.install(function.__code__, function.__code__, guards)
    return returning(function, native.enable, lambda: native.set_design(design))


def guard_times(timer: Timer, mode: str, arguments: int) -> dict[str, float]:
    """A call without guards, with one type guard an argument, and with them by the dict design."""
    guards = type_guards(arguments)
    setups = {
        "bare": guarded(function_of(arguments), [], Design.FRAME),
        "frame": guarded(function_of(arguments), guards, Design.FRAME),
        "dict": guarded(function_of(arguments), guards, Design.DICT),
    }
    measure = timer.loop if mode == "loop" else timer.single
    times = measure(setups, [tuple(range(arguments))])
    native.set_design(Design.FRAME)
    native.disable()
    return times


def cell_costs(timer: Timer, mode: str) -> dict[str, float]:
    """Cost of type guards on 20 variables: without cells, half of them free, half in cells."""
    setups = {}
    for name, free, cells in (("none", 0, 0), ("free", 10, 0), ("cells", 0, 10)):
        arguments = tuple(range(20 - free))
        for guards in ([], type_guards(20 - free, free)):
            function = function_of(20 - free, free, cells)
            ready = guarded(function, guards, Design.FRAME)
            # Bound beforehand: the functions take turns, and their arguments differ in number.
            call = partial(function, *arguments)
            setups[f"{name} {bool(guards)}"] = returning(call, ready)
    times = (timer.loop if mode == "loop" else timer.single)(setups, [()])
    native.disable()
    names = ("none", "free", "cells")
    return {name: max(times[f"{name} True"] - times[f"{name} False"], 0.1) for name in names}


def bench_designs(timer: Timer, report: Report) -> None:
    for mode in ("single", "loop"):
        goal = 0.05 if mode == "single" else None
        for count in (20, 100):
            times = guard_times(timer, mode, count)
            frame = max(times["frame"] - times["bare"], 0.1)
            by_dict = times["dict"] - times["bare"]
            what = f"{count} locals, type guards"
            report.ratio(what, mode, frame, by_dict, "dict design", goal)
        costs = cell_costs(timer, mode)
        for what, name in (("free variables", "free"), ("argument cells", "cells")):
            goal_cells = 1.3 if mode == "loop" else None
            what = f"20 variables, half of them {what}"
            report.ratio(what, mode, costs[name], costs["none"], "no cells", goal_cells)


def bench_hook(timer: Timer, report: Report) -> None:
    for arguments in (1, 20):
        plain = function_of(arguments)
        known = function_of(arguments)
        replaced = function_of(arguments)
        replacement = function_of(arguments, name="g")
        native.slots(known.__code__)  # gives it a state without entries
        native.install(replaced.__code__, replacement.__code__)
        times = timer.loop(
            {
                "none": returning(plain, native.disable),
                "hook": returning(plain, native.enable),
                "lookup": returning(known, native.enable),
                "replaced": returning(replaced, native.enable),
            },
            [tuple(range(arguments))],
        )
        native.disable()
        size = f"{arguments} argument{'s' * (arguments > 1)}"
        none, lookup = times["none"], times["lookup"]
        report.difference(f"hook and cache lookup, {size}", lookup, none, "no hook", 8)
        report.difference(f"replacement, {size}", times["replaced"], lookup, "own body", 10)


def bench_recorder(timer: Timer, report: Report) -> None:
    """Hits on threads that never had a recorder, had one, and have one; each round on a new one."""
    replaced, replacement = function_of(1), function_of(1, name="g")
    native.install(replaced.__code__, replacement.__code__, type_guards(1))
    native.enable()

    def never() -> float:
        return timer.run(replaced, [(1,)], 5000)

    def off_again() -> float:
        with native.Recorder():
            replaced(1)
        return never()

    def on() -> float:
        with native.Recorder():
            return never()

    best = {"never": 1e18, "off again": 1e18, "on": 1e18}
    for _ in range(timer.rounds):
        for name, measure in (("never", never), ("off again", off_again), ("on", on)):
            with ThreadPoolExecutor(1) as thread:
                best[name] = min(best[name], thread.submit(measure).result())
    native.disable()
    never_on = "a thread that never had one"
    report.difference("recorder off", best["off again"], best["never"], never_on, 1)
    report.difference("recorder on", best["on"], best["never"], never_on, None)


# -- the picture --------------------------------------------------------------------------------


def one_local_times(timer: Timer, count: int) -> dict[str, float]:
    """A call of a function of one argument without guards, and with that many on the argument."""
    guards = [Guard.type(Source.local("a0"), int)] * count
    setups = {
        "one bare": guarded(function_of(1), [], Design.FRAME),
        "one": guarded(function_of(1), guards, Design.FRAME),
    }
    times = timer.loop(setups, [(1,)])
    native.disable()
    return times


def curve(timer: Timer) -> dict[str, list[tuple[int, float]]]:
    """Cost against the number of locals (one guard each), and against guards on one local."""
    counts = (1, 3, 10, 30, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
    best: dict[int, dict[str, float]] = {count: {} for count in counts}
    # The sizes take turns as well, so that a busy moment does not bend the line at one of them.
    for _ in range(10):
        for count, times in best.items():
            new = guard_times(timer, "loop", count) | one_local_times(timer, count)
            times.update({name: min(new[name], times.get(name, 1e18)) for name in new})
    lines = {"locals": ("frame", "bare"), "locals, dict": ("dict", "bare")}
    lines["guards"] = ("one", "one bare")
    return {
        name: [(count, max(times[a] - times[b], 0.1)) for count, times in best.items()]
        for name, (a, b) in lines.items()
    }


def line_through(points: list[tuple[int, float]]) -> tuple[float, float, float]:
    """Slope, intercept and R squared of the least-squares line."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    slope, intercept = statistics.linear_regression(xs, ys)
    return slope, intercept, statistics.correlation(xs, ys) ** 2


def plot(points: dict[str, list[tuple[int, float]]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for axis, name, title, label in (
        (axes[0], "locals", "read from localsplus", "locals, one type guard each"),
        (axes[1], "locals, dict", "read from a dict of locals", "locals, one type guard each"),
        (axes[2], "guards", "read from localsplus", "type guards on one local"),
    ):
        slope, intercept, fit = line_through(points[name])
        xs, ys = zip(*points[name], strict=True)
        axis.plot(xs, [y / 1000 for y in ys], "o", markersize=4)
        ends = [xs[0], xs[-1]]
        text = f"{slope:.2f} ns each, R² {fit:.4f}"
        axis.plot(ends, [(intercept + slope * x) / 1000 for x in ends], "-", label=text)
        axis.set_title(title)
        axis.set_xlabel(label)
        axis.set_ylabel("microseconds a check")
        axis.grid(alpha=0.3)
        axis.legend(loc="upper left")
    figure.savefig(path, dpi=100)


def measure(timer: Timer, parts: Sequence[str]) -> Report:
    report = Report()
    if "designs" in parts:
        bench_designs(timer, report)
    if "hook" in parts:
        bench_hook(timer, report)
    if "recorder" in parts:
        bench_recorder(timer, report)
    if "torch" in parts:
        from guard_torch import bench_torch

        bench_torch(timer, report)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher figures")
    parser.add_argument("--plot", metavar="FILE", help="draw cost against size (needs matplotlib)")
    parser.add_argument("--runs", type=int, default=1, help="measure all this often; medians")
    parts = ("designs", "hook", "recorder", "torch")
    parser.add_argument("--only", choices=parts, action="append", help="just these rows")
    options = parser.parse_args()
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot draws with matplotlib, which is not installed: pip install matplotlib")

    timer = Timer(options.quick)
    reports = [measure(timer, options.only or parts) for _ in range(options.runs)]
    report = median_of(reports)
    points = curve(timer) if options.plot else {}
    if options.plot:
        plot(points, options.plot)
    if options.json:
        print(json.dumps({"schema": 3, **asdict(report), "curve": points}))
    else:
        report.print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
