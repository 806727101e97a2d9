"""What compiling does hundreds of times, done in fewer steps, with the same outcome."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import math
import sys
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


def _prepare_wrapping_once() -> bool:
    """For each value that is wrapped, classes are made that stand for a missing Triton's.

    What comes before the dispatch by type is the same for every value: it is done once.
    """
    wrap = builder.VariableBuilder._wrap
    try:
        source = inspect.getsource(wrap)
    except OSError:  # torch without its sources
        return False
    # As it is indented, so that its lines have the same columns.
    module = ast.parse("if 1:\n" + source)
    outer = module.body[0]
    assert isinstance(outer, ast.If)
    function = outer.body[0]
    assert isinstance(function, ast.FunctionDef)
    first = next((at for at, each in enumerate(function.body) if _binds_dispatch(each)), 0)
    before = function.body[:first]
    # Nothing there may depend on the value, or end the function.
    if not before or any(_is_of_the_call(node) for each in before for node in ast.walk(each)):
        return False
    function.body = function.body[first:]
    made = ast.Name(function.name, ast.Load())
    maker = ast.parse("def make(): pass").body[0]
    assert isinstance(maker, ast.FunctionDef)
    maker.body = [*before, function, ast.Return(made)]
    module.body = [maker]
    ast.increment_lineno(ast.fix_missing_locations(module), wrap.__code__.co_firstlineno - 2)
    scope: dict[str, Any] = {}
    exec(compile(module, wrap.__code__.co_filename, "exec"), builder.__dict__, scope)
    builder.VariableBuilder._wrap = scope["make"]()
    return True


def _binds_dispatch(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and ast.unparse(statement) == (
        "type_dispatch = self._type_dispatch().get(type(value))"
    )


def _is_of_the_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Return) or (
        isinstance(node, ast.Name) and node.id in ("self", "value")
    )


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


def _analyse_stacks_quickly() -> bool:
    """How deep the stack gets is found in passes over objects that stand for the instructions."""
    analyse = bytecode_analysis.stacksize_analysis
    names = ("JUMP_OPCODES", "TERMINAL_OPCODES", "stack_effect")
    if not all(hasattr(bytecode_analysis, name) for name in names):
        return False
    jumps, terminal = bytecode_analysis.JUMP_OPCODES, bytecode_analysis.TERMINAL_OPCODES
    effect = bytecode_analysis.stack_effect

    def analyse_quickly(instructions: list[Any]) -> Any:
        places = {each: place for place, each in enumerate(instructions)}
        low, high = [math.inf] * len(instructions), [-math.inf] * len(instructions)
        steps = []
        try:
            low[0] = high[0] = 0
            for place, each in enumerate(instructions):
                if each.opcode not in terminal:
                    steps.append((place, place + 1, effect(each.opcode, each.arg, jump=False)))
                if each.opcode in jumps:
                    by = effect(each.opcode, each.arg, jump=True)
                    steps.append((place, places[each.target], by))
                if entry := each.exn_tab_entry:
                    target, depth = places[entry.target], entry.depth + int(entry.lasti) + 1
                    low[target] = min(low[target], depth)
                    high[target] = max(high[target], depth)
            changed, passes = True, 0
            while changed and passes < 100:
                changed, passes = False, passes + 1
                for start, end, by in steps:
                    if low[start] + by < low[end]:
                        low[end], changed = low[start] + by, True
                    if high[start] + by > high[end]:
                        high[end], changed = high[start] + by, True
        except (KeyError, IndexError):
            return analyse(instructions)
        # The original says what is wrong.
        return analyse(instructions) if changed or min(low) < 0 else max(high)

    for module in (bytecode_analysis, bytecode_transformation):
        module.stacksize_analysis = analyse_quickly
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
    """Hundreds of settings are read a compile, each asked whether it is deprecated or an alias.

    Each module of settings has a class of its own: a plain setting becomes a property of it.
    """
    unset = getattr(config_module, "_UNSET_SENTINEL", None)
    entry = config._config["verbose"]
    if unset is None or not all(hasattr(entry, name) for name in _READ):
        return False
    if not isinstance(getattr(entry, "user_override", None), ContextVar):
        return False
    modules: list[Any] = [
        module
        for module in list(sys.modules.values())
        if isinstance(module, config_module.ConfigModule)
    ]
    kinds = {type(module) for module in modules}
    if len(kinds) < len(modules) or config_module.ConfigModule in kinds:
        return False
    # The values that the original gives as they are; others it copies.
    plain = (bool, int, float, str, type(None))

    def reader(name: str, entry: Any) -> property:
        overridden = entry.user_override.get

        def read(self: Any) -> Any:
            value = overridden()
            if value is unset:
                value = entry.default
                # One that was deleted is hidden.
                if entry.hide or type(value) not in plain:
                    return self.__getattr__(name)
            return value

        return property(read)

    for module in modules:
        for name, entry in module._config.items():
            asked = entry.deprecated or entry.alias is not None or entry.justknob
            given = (entry.env_value_force, entry.env_value_default)
            if not asked and given == (unset, unset) and name.isidentifier():
                setattr(type(module), name, reader(name, entry))
    return True


SHORTENED = (
    Speedup("remembered names", _remember_names),
    Speedup("remembered signatures", _remember_signatures),
    Speedup("wrapping", _prepare_wrapping_once),
    Speedup("cloned instructions", _clone_instructions),
    Speedup("instruction sizes", _know_instruction_sizes),
    Speedup("instruction indexes", _index_instructions_quickly),
    Speedup("stack depths", _analyse_stacks_quickly),
    Speedup("quick settings", _read_settings_quickly),
)
