"""Time to compile, and a compiled call's time on a hit: framejit against torch.compile.

The same generated programs, backend eager, each way in a process of its own:

- framejit;
- dynamo: torch.compile as it is;
- dynamo, sped up: with what framefuzz leaves out in bulk runs.

CPU seconds of the programs' calls, compiling included, less what the same calls take under eager.
"operations" are the graph's calls of functions, methods and modules, over all graphs made.  Hits
have processes of their own, the ways in turns: the best of 30 rounds of 1000 calls, thrice.

    python benchmarks/compile_time.py [--programs 100] [--seed 1] [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAYS = ("framejit", "dynamo", "dynamo, sped up")
_CALLS = ("call_function", "call_method", "call_module")


def programs(way: str, seed: int, count: int) -> dict[str, Any]:
    """Run programs one way in this process: CPU seconds and captured operations of each."""
    import torch

    from framefuzz.case import instantiate
    from framefuzz.generate import case_for

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    operations = 0

    def counting(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        nonlocal operations
        operations += sum(node.op in _CALLS for node in module.graph.nodes)
        return module.forward

    compiled, forget = _compilers(way, counting)
    seconds, captured = [], []
    # The first programs warm the process up.
    for index in range(-10, count):
        spent = []
        for compile in (lambda fn: fn, compiled):
            case = case_for(seed, index % 1000 + (1000 if index < 0 else 0))
            with contextlib.redirect_stdout(io.StringIO()):
                program = instantiate(case)
                forget()
                operations = 0
                spent.append(_run(program, compile))
        if index >= 0:
            seconds.append(spent[1] - spent[0])
            captured.append(operations)
    return {"way": way, "seconds": seconds, "operations": captured}


def _compilers(way: str, backend: Any) -> tuple[Callable[..., Any], Callable[[], None]]:
    if way == "framejit":
        import framejit

        return lambda fn: framejit.compile(fn, backend=backend), framejit.reset
    import torch._dynamo

    if way != "dynamo":
        from framefuzz.subjects import dynamo_speedups

        dynamo_speedups.apply()
    return lambda fn: torch.compile(fn, backend=backend), torch._dynamo.reset


def _run(program: Any, compile: Callable[..., Any]) -> float:
    fn = compile(program.fn)
    total = 0.0
    with contextlib.suppress(Exception):
        for arguments in program.calls():
            began = time.process_time()
            with contextlib.suppress(Exception):
                fn(*arguments)
            total += time.process_time() - began
    return total


def hits(way: str) -> dict[str, Any]:
    """Nanoseconds of a compiled call on a hit: 20 small captured values, one graph."""
    import torch

    names = [f"v{i}" for i in range(20)]
    text = "def make():\n" + "".join(f"    {n} = {i}.5\n" for i, n in enumerate(names))
    text += "    def step(x):\n        return x + (" + " + ".join(names) + ")\n    return step\n"
    made: dict[str, Any] = {"__name__": "hits"}
    exec(compile(text, "hits.py", "exec"), made)
    wrap, _ = _compilers(way, lambda module, inputs: module.forward)
    step, x = wrap(made["make"]()), torch.ones(3)
    best = float("inf")
    for _ in range(200):
        step(x)
    for _ in range(30):
        began = time.perf_counter_ns()
        for _ in range(1000):
            step(x)
        best = min(best, (time.perf_counter_ns() - began) / 1000)
    return {"way": way, "nanoseconds": best}


def _in_process(*options: str) -> dict[str, Any]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(
        [sys.executable, str(Path(__file__)), *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    figures: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure each way in a process of its own and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--programs-of", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--hits-of", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.programs_of:
        print(json.dumps(programs(options.programs_of, options.seed, options.programs)))
        return
    if options.hits_of:
        print(json.dumps(hits(options.hits_of)))
        return
    counts = ["--programs", str(options.programs), "--seed", str(options.seed)]
    found = {way: _in_process("--programs-of", way, *counts) for way in WAYS}
    for _ in range(3):
        for way, figures in found.items():
            measured = _in_process("--hits-of", way)["nanoseconds"]
            figures["nanoseconds"] = min(measured, figures.get("nanoseconds", measured))
    if options.json:
        print(json.dumps(found))
        return
    base = found["framejit"]
    for way, figures in found.items():
        count = len(figures["seconds"])
        total, captured = sum(figures["seconds"]), sum(figures["operations"])
        print(
            f"{way:16} {1000 * total / count:8.1f} ms a program, "
            f"{captured / count:6.2f} operations, {figures['nanoseconds']:8.0f} ns a hit;"
            f" framejit against it: time {sum(base['seconds']) / total:.2f},"
            f" operations {sum(base['operations']) / max(captured, 1):.2f},"
            f" hit {base['nanoseconds'] / figures['nanoseconds']:.2f}"
        )


if __name__ == "__main__":
    main()
