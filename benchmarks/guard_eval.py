"""What guards and frame evaluation cost, each compared with its baseline in one run.

    python benchmarks/guard_eval.py [--json] [--quick] [--only PART] [--plot FILE.png]

Every figure is nanoseconds a call, the best of several rounds in which the things compared take
turns. `loop` calls in a tight loop driven from C; `single` is one call at a time, timed alone,
after ordinary work that uses up what the last call left in CPython's free lists (the median, less
the clock's own cost). A guard's cost is the difference to the same call with an empty guard
program. The torch rows time torch.compile's own hook and framejit's over the very same code
object, in one process, with the guards of both listed.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice, repeat, starmap
from types import CodeType, FunctionType
from typing import Any

from framejit import _native as native

Source, Guard, Design = native.Source, native.Guard, native.Design

Calls = Sequence[tuple[Any, ...]]  # the argument tuples that are called in turn


@dataclass
class Row:
    what: str
    mode: str
    ours: float
    baseline: float
    against: str
    goal: str
    value: float
    met: bool | None
    unit: str = "ratio"


@dataclass
class Report:
    rows: list[Row] = field(default_factory=list)
    guards: dict[str, dict[str, int]] = field(default_factory=dict)

    def ratio(
        self, what: str, mode: str, ours: float, base: float, against: str, goal: float | None
    ) -> None:
        value = ours / base
        met = None if goal is None else value <= goal
        text = "shown" if goal is None else f"<= {goal}"
        self.rows.append(Row(what, mode, ours, base, against, text, value, met))

    def difference(self, what: str, ours: float, base: float, against: str, goal: float) -> None:
        value = ours - base
        self.rows.append(
            Row(what, "loop", ours, base, against, f"<= {goal:g} ns", value, value <= goal, "ns")
        )


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


def guard_costs(
    timer: Timer, mode: str, arguments: int, free: int = 0, cells: int = 0
) -> tuple[float, float]:
    """Cost of one type guard a variable over localsplus, and by the dict design."""
    guards = type_guards(arguments, free)
    bare = function_of(arguments, free, cells)
    frame = function_of(arguments, free, cells)
    by_dict = function_of(arguments, free, cells)
    setups = {
        "bare": guarded(bare, [], Design.FRAME),
        "frame": guarded(frame, guards, Design.FRAME),
        "dict": guarded(by_dict, guards, Design.DICT),
    }
    measure = timer.loop if mode == "loop" else timer.single
    times = measure(setups, [tuple(range(arguments))])
    native.set_design(Design.FRAME)
    native.disable()
    return max(times["frame"] - times["bare"], 0.1), times["dict"] - times["bare"]


def bench_designs(timer: Timer, report: Report) -> None:
    for mode in ("single", "loop"):
        goal = 0.05 if mode == "single" else None
        costs = {}
        for count in (20, 100):
            frame, by_dict = guard_costs(timer, mode, count)
            costs[count] = frame
            what = f"{count} locals, type guards"
            report.ratio(what, mode, frame, by_dict, "dict design", goal)
        for what, free, cells in (("free variables", 10, 0), ("argument cells", 0, 10)):
            frame, _ = guard_costs(timer, mode, 20 - free, free, cells)
            goal_cells = 1.3 if mode == "loop" else None
            name = f"20 variables, half of them {what}"
            report.ratio(name, mode, frame, costs[20], "no cells", goal_cells)


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


# -- torch --------------------------------------------------------------------------------------


def torch_guard_names(manager: Any) -> Counter[str]:
    return Counter(re.findall(r"\+- ([A-Z][A-Z_]+)\b", str(manager)))


def our_guards(code: CodeType, tensors: Sequence[Any]) -> list[Any]:
    """All that torch checks of such a frame: see the printed list."""
    sources = [Source.local(name) for name in code.co_varnames[: code.co_argcount]]
    guards = [Guard.tensor(s, t) for s, t in zip(sources, tensors, strict=True)]
    guards += [Guard.length(source.instance_dict(), 0) for source in sources]
    guards.append(Guard.distinct(sources))
    guards.append(Guard.global_state())
    return guards


def summing(count: int) -> FunctionType:
    names = ", ".join(f"x{i}" for i in range(count))
    scope: dict[str, Any] = {}
    exec(f"def f({names}):\n return {' + '.join(f'x{i}' for i in range(count))}\n", scope)
    return scope["f"]  # type: ignore[no-any-return]


def bench_torch(
    timer: Timer, report: Report, count: int, entries: int, goal: float | None, backend: str
) -> None:
    import torch
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list, set_eval_frame

    torch._dynamo.reset()
    torch._dynamo.config.recompile_limit = 64
    function = summing(count)

    def null(graph: Any, inputs: Any) -> Any:
        result = (torch.ones(1),)
        return lambda *args: result

    compiled = torch.compile(
        function, backend=null if backend == "null" else backend, dynamic=False
    )
    calls = [tuple(torch.ones(size + 2) for _ in range(count)) for size in range(entries)]
    for arguments in calls:
        compiled(*arguments)
    cached = {}
    for entry in _debug_get_cache_entry_list(function.__code__):
        for arguments in calls:
            named = dict(zip(function.__code__.co_varnames, arguments, strict=False))
            if entry.guard_manager.check(named):
                cached[id(arguments)] = entry
    assert len(cached) == entries
    names = torch_guard_names(cached[id(calls[0])].guard_manager)

    bodies = {id(a): FunctionType(cached[id(a)].code, function.__globals__) for a in calls}
    by_length = {len(a[0]): bodies[id(a)] for a in calls}
    if entries == 1:
        body: Callable[..., Any] = bodies[id(calls[0])]
    else:
        body = by_length[len(calls[0][0])]
    for arguments in calls:
        guards = our_guards(function.__code__, arguments)
        native.install(function.__code__, cached[id(arguments)].code, guards)
    if not report.guards.get("torch") or count == 100:
        ours = Counter(guard.expected.split(" ")[0] for guard in guards)
        report.guards["torch"] = dict(names)
        report.guards["framejit"] = {
            "tensor (type, dispatch keys, dtype, device, shape, strides, requires_grad)": count,
            "length of instance dict 0 (no dynamic-dimension marks)": ours["length"],
            "distinct (no aliasing)": 1,
            **{f"global state: {name}": 1 for name, _ in guards[-1].state},
        }

    leave = lambda: (native.disable(), set_eval_frame(None))  # noqa: E731
    setups = {
        "body": returning(body, leave),
        # False: run what is compiled, compile nothing.
        "torch": returning(function, leave, lambda: set_eval_frame(False)),
        "ours": returning(function, leave, native.enable),
    }
    for mode, measure in (("loop", timer.loop), ("single", timer.single)):
        times = measure(setups, calls)
        leave()
        what = f"{count} tensors x {entries} entries, {backend} backend"
        if goal is None:
            for name in ("torch", "ours"):
                report.ratio(f"{what}: {name}", mode, times[name], times["body"], "body", None)
        else:
            ours, theirs = times["ours"] - times["body"], times["torch"] - times["body"]
            against = "torch's hook, both over the body"
            report.ratio(what, mode, ours, theirs, against, goal if mode == "loop" else None)
    hits = [entry.hits for entry in native.entries(function.__code__)]
    assert all(hits), "an entry of ours never ran: the comparison would be void"
    native.reset(function.__code__)
    torch._dynamo.reset()


# -- the picture --------------------------------------------------------------------------------


def curve(timer: Timer) -> dict[str, list[tuple[int, float]]]:
    """Cost against the number of locals (one guard each), and against guards on one local."""
    points: dict[str, list[tuple[int, float]]] = {"locals": [], "locals, dict": [], "guards": []}
    for count in (1, 3, 10, 30, 100, 200, 300, 500, 700, 1000):
        frame, by_dict = guard_costs(timer, "loop", count)
        points["locals"].append((count, frame))
        points["locals, dict"].append((count, by_dict))
        function, bare = function_of(1), function_of(1)
        guards = [Guard.type(Source.local("a0"), int)] * count
        setups = {
            "bare": guarded(bare, [], Design.FRAME),
            "guards": guarded(function, guards, Design.FRAME),
        }
        times = timer.loop(setups, [(1,)])
        native.disable()
        points["guards"].append((count, max(times["guards"] - times["bare"], 0.1)))
    return points


def plot(points: dict[str, list[tuple[int, float]]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for axis, names, label in (
        (axes[0], ("locals", "locals, dict"), "locals, one type guard each"),
        (axes[1], ("guards",), "type guards on one local"),
    ):
        for name in names:
            xs, ys = zip(*points[name], strict=True)
            design = "dict of locals" if name.endswith("dict") else "localsplus"
            axis.plot(xs, ys, marker="o", label=design)
        axis.set_xlabel(label)
        axis.set_ylabel("nanoseconds a check")
        # A straight line through the origin is one of slope 1 here.
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.savefig(path, dpi=150)


def print_table(report: Report) -> None:
    width = max(len(row.what) for row in report.rows)
    print(f"{'what':<{width}}  mode    {'ours ns':>10} {'other ns':>10} {'value':>8}  goal")
    for row in report.rows:
        mark = "" if row.met is None else ("  met" if row.met else "  MISSED")
        value = f"{row.value:.3f}" if row.unit == "ratio" else f"{row.value:.1f}"
        print(
            f"{row.what:<{width}}  {row.mode:<6}  {row.ours:>10.1f} {row.baseline:>10.1f} "
            f"{value:>8}  {row.goal}{mark}  ({row.against})"
        )
    for who, guards in report.guards.items():
        print(f"\nguards of {who}:")
        for name, count in guards.items():
            print(f"  {count:>4}  {name}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher figures")
    parser.add_argument("--plot", metavar="FILE", help="draw cost against size (needs matplotlib)")
    parts = ("designs", "hook", "torch")
    parser.add_argument("--only", choices=parts, action="append", help="just these rows")
    options = parser.parse_args()
    chosen = options.only or parts

    timer, report = Timer(options.quick), Report()
    if "designs" in chosen:
        bench_designs(timer, report)
    if "hook" in chosen:
        bench_hook(timer, report)
    if "torch" in chosen:
        bench_torch(timer, report, 20, 1, 0.6, "null")
        bench_torch(timer, report, 100, 1, 0.85, "null")
        bench_torch(timer, report, 100, 10, 0.6, "null")
        bench_torch(timer, report, 100, 10, None, "eager")
    points = curve(timer) if options.plot or options.json else {}
    if options.plot:
        plot(points, options.plot)
    if options.json:
        print(json.dumps({"schema": 1, **asdict(report), "curve": points}))
    else:
        print_table(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
