"""What compiling does hundreds of times, done in fewer steps, with the same outcome."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from torch._dynamo import (
    bytecode_analysis,
    bytecode_transformation,
    config,
    resume_execution,
    symbolic_convert,
    trace_rules,
)
from torch._dynamo.variables import builder
from torch.fx import graph as fx_graph
from torch.utils import _config_module as config_module
from torch.utils import _traceback as torch_traceback

from framefuzz.subjects.dynamo_speedups.speedup import Speedup


def _remember_names() -> bool:
    """The same few file names, sources and words are rewritten hundreds of times a compile."""
    there = [(module, name) for module, name in _OF_NAMES if hasattr(module, name)]
    for module, name in there:
        setattr(module, name, functools.lru_cache(maxsize=4096)(getattr(module, name)))
    return bool(there)


_OF_NAMES = (
    (trace_rules, "_as_posix_path"),
    (torch_traceback, "shorten_filename"),
    (builder, "normalize_source_name"),
    (fx_graph, "_snake_case"),
)


def _remember_signatures() -> bool:
    """The signatures of the same few methods are taken apart for each graph's code."""
    codegen = fx_graph.CodeGen
    if not hasattr(codegen, "_call_method_with_signature_check"):
        return False

    @functools.lru_cache(maxsize=64)
    def parameters(function: Callable[..., Any]) -> frozenset[str]:
        return frozenset(inspect.signature(function).parameters)

    def call(self: Any, method: Any, *args: Any, **kwargs: Any) -> Any:
        taken = parameters(getattr(method, "__func__", method))
        return method(*args, **{name: kwargs[name] for name in kwargs if name in taken})

    codegen._call_method_with_signature_check = call
    return True


def _wrap_by_type_first() -> bool:
    """For each value that is wrapped, classes are made that stand for a missing Triton's.

    Most values are then dispatched by their type, or by what they are, and need none of these.
    """
    wrap = builder.VariableBuilder._wrap
    # A version that looks at anything else before is left as it is.
    before, found, after = inspect.getsource(wrap).partition(
        "type_dispatch = self._type_dispatch().get(type(value))"
    )
    expected = """
        if type_dispatch is not None:
            return type_dispatch(self, value)

        # Handle exact id() match
        id_dispatch = self._id_dispatch().get(id(value))
        if id_dispatch is not None:
            return id_dispatch(self, value)
"""
    if not found or not after.startswith(expected) or "return" in before:
        return False

    def dispatch(self: Any, value: Any) -> Any:
        handler = self._type_dispatch().get(type(value))
        if handler is None:
            handler = self._id_dispatch().get(id(value))
        return wrap(self, value) if handler is None else handler(self, value)

    builder.VariableBuilder._wrap = dispatch
    return True


class _CopiesInstructions:
    """The module ``copy`` for a module that copies lists of instructions: quicker at that."""

    def __getattr__(self, name: str) -> Any:
        return getattr(copy, name)

    def deepcopy(self, value: Any) -> Any:
        instruction = bytecode_transformation.Instruction
        if type(value) is list and all(type(each) is instruction for each in value):
            try:
                return bytecode_transformation._clone_instructions(value)
            except KeyError:  # one that refers to an instruction outside the list
                pass
        return copy.deepcopy(value)


def _clone_instructions() -> bool:
    """A resume function's instructions are copied with all that they hold, which is constant."""
    if not hasattr(bytecode_transformation, "_clone_instructions"):
        return False
    there = [m for m in (resume_execution, symbolic_convert) if hasattr(m, "copy")]
    for module in there:
        module.copy = _CopiesInstructions()
    return bool(there)


def _know_instruction_sizes() -> bool:
    """Assembling asks for the size of each instruction several times, by a table of caches."""
    try:
        from torch._C._dynamo.eval_frame import py_opcode_caches
    except ImportError:
        return False
    sizes = [2 * (caches + 1) for caches in py_opcode_caches]
    probe = bytecode_transformation.create_instruction("NOP")
    if sizes[probe.opcode] != bytecode_transformation.instruction_size(probe):
        return False
    bytecode_transformation.instruction_size = lambda instruction: sizes[instruction.opcode]
    return True


def _index_instructions_quickly() -> bool:
    """Instructions are looked up by identity, with a hash and comparison written in Python."""
    index = getattr(bytecode_analysis, "get_indexof", None)
    instruction = bytecode_transformation.Instruction
    probe = bytecode_transformation.create_instruction("NOP")
    if index is None or hash(probe) != id(probe):
        return False
    instruction.__hash__ = object.__hash__
    instruction.__eq__ = object.__eq__

    def index_quickly(instructions: list[Any]) -> dict[Any, int]:
        places = {each: place for place, each in enumerate(instructions)}
        return places if len(places) == len(instructions) else index(instructions)

    for module in (bytecode_analysis, bytecode_transformation, symbolic_convert):
        if hasattr(module, "get_indexof"):
            module.get_indexof = index_quickly
    return True


_READ = (
    "alias",
    "default",
    "deprecated",
    "env_value_default",
    "env_value_force",
    "hide",
    "justknob",
)


def _read_settings_quickly() -> bool:
    """Hundreds of settings are read a compile, each asked whether it is deprecated or an alias."""
    module = config_module.ConfigModule
    unset = getattr(config_module, "_UNSET_SENTINEL", None)
    entry = config._config["verbose"]
    if not all(hasattr(entry, name) for name in _READ):
        return False
    if unset is None or not isinstance(getattr(entry, "user_override", None), ContextVar):
        return False
    read = module.__getattr__
    # The values that the original gives as they are; others it copies.
    plain = (bool, int, float, str, type(None))

    def read_quickly(self: Any, name: str) -> Any:
        entry = self._config.get(name)
        if (
            entry is None
            or entry.hide
            or entry.deprecated
            or entry.alias is not None
            or entry.env_value_force is not unset
        ):
            return read(self, name)
        value = entry.user_override.get()
        if value is not unset:
            return value
        value = entry.default
        if entry.env_value_default is unset and entry.justknob is None and type(value) in plain:
            return value
        return read(self, name)

    module.__getattr__ = read_quickly
    return True


SHORTENED = (
    Speedup("remembered names", _remember_names),
    Speedup("remembered signatures", _remember_signatures),
    Speedup("wrapping by type", _wrap_by_type_first),
    Speedup("cloned instructions", _clone_instructions),
    Speedup("instruction sizes", _know_instruction_sizes),
    Speedup("instruction indexes", _index_instructions_quickly),
    Speedup("quick settings", _read_settings_quickly),
)
