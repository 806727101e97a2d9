"""How a script gets at the one value that differs, and shows it.

A script that described all that the program can reach would be three times as long as the
program.  The path of a divergence says where the two sides differ, so the script looks there
and nowhere else: ``repr(cell(fn, 'count'))`` after call 2.  What it compares is what it prints.
As in framefuzz.observe none of the program's own code may run for that: ``repr`` is for builtin
values only.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from framefuzz.trace import SECTIONS, Divergence
from framefuzz.triage import paths

# Where each section of an observation is to be found in a script.
_ROOTS = {
    "exc": "out",
    "out": "out",
    "stdout": "stdout.getvalue()",
    "cells": "fn",
    "args": "args",
    "globals": "program",
    "observed": "program.observe(fn)",
}
_MODES = {
    "grad": "torch.is_grad_enabled()",
    "inference": "torch.is_inference_mode_enabled()",
    "autocast": "torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled()",
    "autocast_dtype": "torch.get_autocast_cpu_dtype()",
    "deterministic": "torch.are_deterministic_algorithms_enabled()",
    "dtype": "torch.get_default_dtype()",
    "device": "torch.utils._device.CURRENT_DEVICE",
    "function_modes": "torch._C._len_torch_function_stack()",
    "dispatch_modes": "torch._C._len_torch_dispatch_stack()",
    "saved_hooks": "torch._C._autograd._top_saved_tensors_default_hooks(True) is not None",
    "threads": "torch.get_num_threads()",
    "precision": "torch.get_float32_matmul_precision()",
    "torch_rng": "hash(tuple(torch.get_rng_state().tolist()))",
    "random": "hash(random.getstate())",
}
_TENSOR_FACTS = {
    "dtype": "{0}.dtype",
    "shape": "tuple({0}.shape)",
    "stride": "{0}.stride()",
    "requires_grad": "{0}.requires_grad",
    "offset": "{0}.storage_offset()",
    # As text, in which a nan is equal to a nan and -0.0 is not 0.0.
    "bits": "str({0}.tolist())",
}
# Types of which repr shows all, and runs nothing of the program's.
_LEAVES = {"int", "float", "complex", "bool", "str", "bytes", "NoneType", "range", "dtype"}
_SIZED = {"list", "tuple", "set", "frozenset", "dict", "deque", "Size", "OrderedDict"}
_MAPPINGS = {"dict", "OrderedDict", "defaultdict", "Counter"}
_TEXTS = {
    "tensor": "str(({0}.is_leaf, {0}.layout, {0}.dtype, {0}.shape))",
    "function": "str(({0}.__qualname__, hash({0}.__code__)))",
    "deque": "{0}.maxlen",
    "code": "str(({0}.co_name, hash({0})))",
    "builtin_function_or_method": "{0}.__qualname__",
    "wrapper_descriptor": "{0}.__qualname__",
    "method_descriptor": "{0}.__qualname__",
    "module": "{0}.__name__",
}
_CHAIN = "[type(e).__name__ for e in (out, out.__cause__, out.__context__)]"


@dataclass(frozen=True, slots=True)
class Shown:
    """What to compare: ``text``, an expression over ``program``, ``fn``, ``args`` and ``out``.

    ``helpers`` are functions that the script must define (``cell``, ``item``, ``show``);
    ``raised`` says that instead the outcome of the call is to be shown; ``tensor`` is an
    expression for the tensor itself where its elements are what differs.
    """

    text: str = ""
    helpers: frozenset[str] = field(default_factory=frozenset)
    raised: bool = False
    tensor: str = ""


# Where one of these occurs in a program, ``x[0]`` may run its code or mean something else.
_ODD_ITEMS = re.compile(r"\bclass |\.(items|keys|values)\(|Error|Exception|deque")


def shown(divergence: Divergence, source: str, variables: list[str]) -> Shown:
    """How to show what differs in a program; ``variables`` are the names of its globals."""
    section, edges = paths.parse(divergence.path)
    if section == "exc" and not edges and divergence.kind in ("presence", "type"):
        return Shown(raised=True)
    if section == "modes":
        return Shown(f"repr({_MODES[edges[0].text]})")
    if divergence.kind in ("identity", "storage"):
        return _everything_up_to(section, variables)
    plain = _ODD_ITEMS.search(source) is None
    expression, helpers, whole = _walk(_ROOTS[section], section, edges, plain)
    text = _text_of(divergence, expression, section) if whole else ""
    if not text:
        return Shown(f"show({expression}, {{}})", helpers | {"show"})
    return Shown(text, helpers, tensor=expression if divergence.kind == "bits" else "")


def _walk(
    expression: str, section: str, edges: list[paths.Edge], plain: bool
) -> tuple[str, frozenset[str], bool]:
    """Follow the edges as far as an expression can; whether that is all the way."""
    helpers: set[str] = set()
    before = section
    for edge in edges:
        if edge.kind == "cell":
            helpers.add("cell")
            expression = f'cell({expression}, "{edge.text}")'
        elif edge.kind == "item" and _is_literal(edge.text):
            if before in ("exc", "__cause__", "__context__"):
                expression += f".args[{edge.text}]"
            elif plain or before == "args":
                expression += f"[{edge.text}]"
            else:
                helpers.add("item")
                expression = f"item({expression}, {edge.text})"
        elif edge.kind == "attribute" and before in ("__globals__", "__dict__"):
            expression += f'["{edge.text}"]'
        elif edge.kind == "attribute" and edge.text == "__func__":
            # A static method that is looked up on its class has unwrapped itself.
            expression = f'getattr({expression}, "__func__", {expression})'
        elif edge.kind == "attribute" and edge.text.isidentifier():
            expression += f".{edge.text}"
        else:
            return expression, frozenset(helpers), False
        before = edge.text if edge.kind == "attribute" else ""
    return expression, frozenset(helpers), True


def _text_of(divergence: Divergence, value: str, section: str) -> str:
    """An expression for what the kind of divergence compares, or an empty string."""
    kind, types = divergence.kind, set(divergence.facts)
    if kind in _TENSOR_FACTS:
        text = _TENSOR_FACTS[kind].format(value)
        return text if text.startswith("str(") else f"str({text})"
    if section == "exc" and kind == "value" and types == {"str"}:
        return f"{value}.partition('\\n\\nfrom user code')[0].rstrip()"
    if section == "exc" and value == "out":
        return f"str({_CHAIN})"
    if section == "stdout" or types <= _LEAVES:
        return f"repr({value})"
    if types == {"set"}:
        return f"str(sorted({value}, key=repr))" if _is_shown_whole(divergence) else f"len({value})"
    if _is_shown_whole(divergence):
        return f"repr({value})"
    if kind == "type":
        return f"type({value}).__qualname__"
    if divergence.path == "globals":
        return "str(sorted(name for name in vars(program) if name[:2] != '__'))"
    if kind == "keys" and types == {"tensor"}:
        return f"str({value}.grad)"
    if kind in ("keys", "order") and not _has_odd_keys(divergence):
        if types <= _MAPPINGS:
            return f"str(list({value}))"
        if types.isdisjoint({"function", "type", "partial"}) and not _has_items(divergence):
            return f"str(list(vars({value})))"
    if kind == "length" and types <= _SIZED:
        return f"f'{{len({value})}} items'"
    if kind == "value" and len(types) == 1:
        return _TEXTS.get(next(iter(types)), "").format(value)
    return ""


def _everything_up_to(section: str, variables: list[str]) -> Shown:
    """Objects are numbered as they are met, from the first section on."""
    roots = []
    for part in SECTIONS[: SECTIONS.index(section) + 1]:
        if part == "globals":
            roots += [f"program.{name}" for name in variables]
        elif part not in ("exc", "stdout"):
            roots.append(_ROOTS[part])
    return Shown(f"show([{', '.join(roots)}], {{}})", frozenset({"show"}))


def _is_shown_whole(divergence: Divergence) -> bool:
    """Whether both sides are builtin values through and through, and not cut."""
    return all(_is_literal(side) for side in (divergence.eager, divergence.subject))


def _has_odd_keys(divergence: Divergence) -> bool:
    """Whether a key is no plain value: its ``repr`` would be the program's."""
    return any("key 0" in side for side in (divergence.eager, divergence.subject))


def _has_items(divergence: Divergence) -> bool:
    """Whether an instance is shown with items: it is a container of the program's own."""
    return any("([" in side or ", [" in side for side in (divergence.eager, divergence.subject))


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True
