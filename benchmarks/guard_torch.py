"""torch.compile's own hook and guards against framejit's, over the very same compiled code."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

import torch
from guard_timing import Calls, Report, Timer, returning
from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list, set_eval_frame

from framejit import _native as native

Source, Guard = native.Source, native.Guard

# What torch.compile (2.13) checks of a frame whose arguments are tensors, by its own names, and
# what covers it here. The list that is printed has the guards that torch really made: one that is
# not known here is shown as not checked.
COVERED = {
    "TENSOR_MATCH": "tensor: type, dispatch keys, dtype, device, shape, strides, requires_grad",
    "DIMENSION_DYNAMIC_MARKING_GUARD": "length of the instance dict 0: nothing hung on the tensor",
    "NO_TENSOR_ALIASING": "distinct",
    "GLOBAL_STATE": "global_state",
    "TORCH_FUNCTION_MODE_STACK": "global_state: torch function modes",
    "DEFAULT_DEVICE": "global_state: default device",
    "LAMBDA_GUARD": "global_state: saved-tensor hooks",
}
# The members of torch's GLOBAL_STATE, and the names that Guard.global_state().state has for them.
MEMBERS = {
    "allow_bf16_reduce": ["reduced bf16 reductions"],
    "allow_fp16_reduce": ["reduced fp16 reductions"],
    "allow_tf32": ["TF32 in cuBLAS"],
    "autocast_state": [
        "autocast on CPU",
        "autocast dtype on CPU",
        "autocast on CUDA",
        "autocast dtype on CUDA",
        "autocast cache",
    ],
    "default_dtype": ["default dtype"],
    "deterministic_algorithms": ["deterministic algorithms"],
    "deterministic_algorithms_warn_only": ["deterministic algorithms warn only"],
    "grad_mode": ["grad mode"],
    "num_threads": ["number of threads"],
    "torch_function": ["torch function"],
    "torch_function_all_disabled": ["torch function"],
}


def our_guards(code: CodeType, tensors: Sequence[Any]) -> list[Any]:
    """All that torch checks of such a frame: see `parity`."""
    sources = [Source.local(name) for name in code.co_varnames[: code.co_argcount]]
    guards = [Guard.tensor(s, t) for s, t in zip(sources, tensors, strict=True)]
    guards += [Guard.length(source.instance_dict(), 0) for source in sources]
    guards.append(Guard.distinct(sources))
    guards.append(Guard.global_state())
    return guards


def parity(manager: Any, guards: list[Any]) -> list[dict[str, str]]:
    """Each fact that torch checks beside what checks it here; then what is checked here alone."""
    text = str(manager)
    state = dict(guards[-1].state)
    # All but the last two are one tensor guard and one length guard a tensor.
    tensors = (len(guards) - 2) // 2
    counts = {"tensor": tensors, "length": tensors}
    rows = []
    # The callable of a lambda guard is named in its text; a new one must not go unseen.
    unknown = [
        line
        for line in text.splitlines()
        if "LAMBDA_GUARD" in line and "top_saved_tensors_hooks" not in line
    ]
    for name, count in Counter(re.findall(r"\+- ([A-Z][A-Z_]+)\b", text)).items():
        here = COVERED.get(name, "NOT CHECKED")
        if name == "LAMBDA_GUARD" and unknown:
            here = "NOT CHECKED"
        number = counts.get(re.split(r"[ :]", here)[0], 1)
        rows.append({"torch": f"{count} {name}", "framejit": f"{number} {here}"})
    used = {"torch function modes", "default device", "saved-tensor hooks"}
    members = re.search(r"GLOBAL_STATE: .*? against (\{.*\})", text)
    for member in sorted(json.loads(members[1])) if members else []:
        names = [name for name in MEMBERS.get(member, []) if name in state]
        used.update(names)
        here = ", ".join(names) or "NOT CHECKED"
        if member == "autocast_state":
            here += " (all devices, by torch's own GlobalStateGuard)"
        rows.append({"torch": f"GLOBAL_STATE {member}", "framejit": f"global_state: {here}"})
    rows += [{"torch": "-", "framejit": f"global_state: {name}"} for name in set(state) - used]
    return sorted(
        rows, key=lambda row: (row["torch"] == "-", row["torch"][:1].isalpha(), *row.values())
    )


def of_tensors(count: int, expression: str) -> FunctionType:
    """`def f(x0, x1, ...)` that returns the expression."""
    scope: dict[str, Any] = {}
    names = ", ".join(f"x{i}" for i in range(count))
    exec(f"def f({names}):\n return {expression}\n", scope)
    return scope["f"]  # type: ignore[no-any-return]


def compile_for(
    function: FunctionType, backend: Any, calls: Calls, report: Report
) -> list[FunctionType]:
    """Compiles for each of the calls, gives framejit the same entries; returns their bodies."""
    torch._dynamo.reset()
    torch._dynamo.config.recompile_limit = 64
    compiled = torch.compile(function, backend=backend, dynamic=False)
    for arguments in calls:
        compiled(*arguments)
    entries = _debug_get_cache_entry_list(function.__code__)
    bodies = []
    for arguments in calls:
        named = dict(zip(function.__code__.co_varnames, arguments, strict=False))
        (entry,) = (each for each in entries if each.guard_manager.check(named))
        guards = our_guards(function.__code__, arguments)
        native.install(function.__code__, entry.code, guards)
        bodies.append(FunctionType(entry.code, function.__globals__))
        report.parity = parity(entry.guard_manager, guards)
    return bodies


def leave() -> None:
    native.disable()
    set_eval_frame(None)


def hooks(function: Callable[..., Any]) -> dict[str, Callable[[], Callable[..., Any]]]:
    return {
        # False: run what is compiled, compile nothing.
        "torch": returning(function, leave, lambda: set_eval_frame(False)),
        "ours": returning(function, leave, native.enable),
    }


def finish(function: FunctionType) -> None:
    leave()
    hits = [entry.hits for entry in native.entries(function.__code__)]
    assert all(hits), "an entry of ours never ran: the comparison would be void"
    native.reset(function.__code__)
    torch._dynamo.reset()


def bench_hooks(timer: Timer, report: Report, count: int, entries: int, goal: float) -> None:
    """Guards alone: compiled code that does nothing, so that the hooks are what is left."""

    def null(graph: Any, inputs: Any) -> Any:
        result = (torch.ones(1),)
        return lambda *args: result

    function = of_tensors(count, " + ".join(f"x{i}" for i in range(count)))
    calls = [tuple(torch.ones(size + 2) for _ in range(count)) for size in range(entries)]
    body = compile_for(function, null, calls, report)[0]
    setups = {"body": returning(body, leave), **hooks(function)}
    for mode, measure in (("loop", timer.loop), ("single", timer.single)):
        times = measure(setups, calls)
        ours, theirs = times["ours"] - times["body"], times["torch"] - times["body"]
        what = f"{count} tensors x {entries} entr{'y' if entries == 1 else 'ies'}, null backend"
        against = "torch's hook, both over the body"
        report.ratio(what, mode, ours, theirs, against, goal if mode == "loop" else None)
    finish(function)


def bench_torchs_own(timer: Timer, report: Report) -> None:
    """The setting of benchmarks/dynamo/microbenchmarks/dynamo_guard_eval.py in PyTorch.

    100 tensors of one dimension, ten sizes from 10 to 100, compiled for each; timed is a run of
    ten calls, one for each size. The body is a call of each compiled code without any hook.
    """
    # inductor needs a C++ compiler, as it does in PyTorch's setting.
    backend = "inductor" if shutil.which("c++") else "eager"
    sizes = " + ".join(f"x{i}.shape[0]" for i in range(100))
    function = of_tensors(100, f"x0 + ({sizes})")
    calls = [tuple(torch.randn(size) for _ in range(100)) for size in range(10, 101, 10)]
    bodies = compile_for(function, backend, calls, report)
    pairs = list(zip(bodies, calls, strict=True))

    def run_bodies() -> None:
        for body, arguments in pairs:
            body(*arguments)

    def run() -> None:
        for arguments in calls:
            function(*arguments)

    setups = {"body": returning(run_bodies, leave), **hooks(run)}
    for mode, measure in (("loop", timer.loop), ("single", timer.single)):
        times = measure(setups, [()])
        what = f"PyTorch's own setting, {backend}, 10 calls"
        report.ratio(f"{what}: torch", mode, times["torch"], times["body"], "body", None)
        report.ratio(f"{what}: framejit", mode, times["ours"], times["body"], "body", None)
        ours, theirs = times["ours"] - times["body"], times["torch"] - times["body"]
        against = "torch's hook, both over the body"
        report.ratio(f"{what}: hooks alone", mode, ours, theirs, against, None)
    finish(function)


def bench_torch(timer: Timer, report: Report) -> None:
    bench_hooks(timer, report, 20, 1, 0.6)
    bench_hooks(timer, report, 100, 1, 0.85)
    bench_hooks(timer, report, 100, 10, 0.6)
    bench_torchs_own(timer, report)
