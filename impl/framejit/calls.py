"""Calls: of Python functions, which are stepped through, of classes, and of what is built in."""

from __future__ import annotations

import inspect
import os
import sys
import sysconfig
import types
from typing import Any

import torch

from framejit.evaluator import Evaluator
from framejit.faults import planted
from framejit.graph import described
from framejit.stops import Break
from framejit.tensors import call_method as call_tensor_method
from framejit.tensors import call_module, call_operation, is_operation
from framejit.values import (
    BuiltinMethod,
    Const,
    Dict,
    Function,
    Generator,
    GradMode,
    Instance,
    Known,
    Method,
    Tensor,
    Tuple,
    Value,
    is_named_tuple,
)

_TORCH = os.path.dirname(torch.__file__)
_MODULES = os.path.join(_TORCH, "nn", "modules", "")
_OWN = os.path.dirname(__file__)
_LIBRARY = sysconfig.get_paths()["stdlib"]
_SITE = sysconfig.get_paths()["purelib"]


def is_foreign(code: types.CodeType, globals_: dict[str, Any]) -> bool:
    """Whether code belongs to Python's library, to torch or to framejit: it is not traced."""
    name = code.co_filename
    if name.startswith((_TORCH, _OWN, _LIBRARY, _SITE, "<frozen", "<eval_with_key")):
        return True
    if name.startswith("<"):
        # Code made as text, such as a dataclass's __init__, belongs to the module it is made for.
        module = str(globals_.get("__name__", "")).partition(".")[0]
        return module in _FOREIGN_MODULES
    return False


_FOREIGN_MODULES = frozenset({*sys.stdlib_module_names, "torch", "framejit"} - {"__main__"})


def call(
    evaluator: Evaluator,
    function: Value,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    """Call a value."""
    function = evaluator.look(function)
    if isinstance(function, Function):
        return _call_function(evaluator, function, arguments, keywords, depth)
    if isinstance(function, Method):
        inner = [function.instance, *arguments]
        return call(evaluator, function.function, inner, keywords, depth)
    if isinstance(function, BuiltinMethod):
        owner = evaluator.look(function.owner)
        if isinstance(owner, Tensor):
            return call_tensor_method(evaluator, owner, function.name, arguments, keywords)
        if isinstance(owner, GradMode):
            from framejit.opcodes.exceptions import leave_grad_mode

            leave_grad_mode(evaluator, owner)
            return Const(None)
        from framejit.methods import call_method

        return call_method(evaluator, owner, function.name, arguments, keywords, depth)
    if isinstance(function, Known):
        return _call_known(evaluator, function, arguments, keywords, depth)
    if isinstance(function, Instance):
        return _call_instance(evaluator, function, arguments, keywords, depth)
    raise Break(f"call of {type(function).__name__.lower()}")


def _call_function(
    evaluator: Evaluator,
    function: Function,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    code = function.code
    if function.real is not None and is_operation(function.real):
        return call_operation(evaluator, function.real, arguments, keywords)
    if is_foreign(code, function.globals) and not code.co_filename.startswith(_MODULES):
        raise Break(f"call of {code.co_name}, which is not the program's")
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise Break("call of a coroutine")
    if evaluator.breaks_in(code):
        raise Break(f"call of {code.co_name}, in which the graph breaks")
    frame = evaluator.frame_for(function, depth + 1)
    frame.locals = bound(evaluator, function, arguments, keywords)
    if code.co_flags & inspect.CO_GENERATOR:
        made = evaluator.born(Generator(frame))
        if code.co_exceptiontable:
            evaluator.trace.closing.append(made)
        return made
    return evaluator.run(frame)


def bound(
    evaluator: Evaluator, function: Function, arguments: list[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    """A function's locals at its start; raises Break if the arguments do not fit."""
    code = function.code
    positional = code.co_varnames[: code.co_argcount]
    only_keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    made: dict[str, Value] = dict(zip(positional, arguments, strict=False))
    extra = arguments[len(positional) :]
    place = code.co_argcount + code.co_kwonlyargcount
    if planted("star arguments counted with keywords"):
        extra = arguments[place:]
    if code.co_flags & inspect.CO_VARARGS:
        made[code.co_varnames[place]] = evaluator.born(Tuple(list(extra)))
        place += 1
    elif extra:
        raise Break(f"call of {code.co_name} with too many arguments")
    others: dict[str, Value] = {}
    for name, value in keywords.items():
        by_name = name in positional[code.co_posonlyargcount :] or name in only_keyword
        if by_name and name in made:
            raise Break(f"call of {code.co_name} with {name!r} given twice")
        (made if by_name else others)[name] = value
    if code.co_flags & inspect.CO_VARKEYWORDS:
        made[code.co_varnames[place]] = evaluator.born(Dict(dict(others)))
    elif others:
        raise Break(f"call of {code.co_name} with an unknown keyword")
    first = len(positional) - len(function.defaults)
    reverse = -1 if planted("defaults in the wrong order") else 1
    for index, value in enumerate(function.defaults[::reverse]):
        made.setdefault(positional[first + index], value)
    for name, value in function.kwdefaults.items():
        made.setdefault(name, value)
    for name in (*positional, *only_keyword):
        if name not in made:
            raise Break(f"call of {code.co_name} without {name!r}")
    return made


def _call_known(
    evaluator: Evaluator,
    function: Known,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    from framejit.builtin_calls import BUILTINS

    real = function.real
    builtin = BUILTINS.get(real) if _is_hashable(real) else None
    if builtin is not None:
        return builtin(evaluator, arguments, keywords, depth)
    if isinstance(real, type):
        return construct(evaluator, function, arguments, keywords, depth)
    if isinstance(real, torch.nn.Module):
        return call_module(evaluator, function, arguments, keywords)
    if is_operation(real):
        return call_operation(evaluator, real, arguments, keywords)
    if isinstance(real, (types.MethodDescriptorType, types.WrapperDescriptorType)) and arguments:
        owner = evaluator.look(arguments[0])
        name = str(getattr(real, "__name__", ""))
        if isinstance(owner, Tensor) and getattr(torch.Tensor, name, None) is real:
            return call_tensor_method(evaluator, owner, name, arguments[1:], keywords)
    raise Break(f"call of {described(function)}")


def _is_hashable(real: Any) -> bool:
    return type(real).__hash__ is not None


def construct(
    evaluator: Evaluator,
    function: Known,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    """Make an instance of a class."""
    cls: Any = function.real
    if issubclass(cls, BaseException):
        if keywords or ("__init__" in vars(cls) and cls.__module__ != "builtins"):
            raise Break(f"exception {cls.__name__}, which is made in its own way")
        if cls.__init__ not in _PLAIN_EXCEPTIONS:
            raise Break(f"exception {cls.__name__}, which is made in its own way")
        return evaluator.exception(cls, arguments)
    if is_named_tuple(cls):
        return _construct_named_tuple(evaluator, cls, arguments, keywords)
    if cls in (torch.no_grad, torch.enable_grad) and not arguments and not keywords:
        return evaluator.born(GradMode(cls, cls is torch.enable_grad))
    from framejit.trace import check_no_finalizer, is_plain_instance

    check_no_finalizer(cls)
    if not is_plain_instance(cls) or cls.__new__ is not object.__new__:
        raise Break(f"call of class {cls.__name__}")
    if issubclass(cls, torch.nn.Module) or function.origin is None:
        raise Break(f"call of class {cls.__name__}")
    made = evaluator.born(Instance(cls))
    evaluator.trace.class_origins[cls] = function.origin
    from framejit.attributes import special

    init = special(evaluator, made, "__init__")
    if init is not None:
        returned = evaluator.look(call(evaluator, init, arguments, keywords, depth))
        if not isinstance(returned, Const) or returned.value is not None:
            raise Break("__init__ that returns something")
    elif arguments or keywords:
        raise Break(f"{cls.__name__}() with arguments")
    return made


_PLAIN_EXCEPTIONS = {
    cls.__init__
    for cls in (BaseException, Exception, ValueError, KeyError, IndexError, RuntimeError)
}
_PLAIN_EXCEPTIONS |= {TypeError.__init__, ArithmeticError.__init__, LookupError.__init__}
_PLAIN_EXCEPTIONS |= {ZeroDivisionError.__init__, AssertionError.__init__, OverflowError.__init__}
_PLAIN_EXCEPTIONS |= {NotImplementedError.__init__, StopIteration.__init__}


def _construct_named_tuple(
    evaluator: Evaluator, cls: Any, arguments: list[Value], keywords: dict[str, Value]
) -> Value:
    made = dict(zip(cls._fields, arguments, strict=False))
    if len(arguments) > len(cls._fields) or set(keywords) & set(made):
        raise Break(f"call of {cls.__name__} with arguments that do not fit")
    made.update(keywords)
    for name, default in cls._field_defaults.items():
        if name not in made:
            made[name] = Const(default)
            if type(default) not in (int, float, str, bool, type(None)):
                raise Break(f"default of {cls.__name__}")
    if set(made) != set(cls._fields):
        raise Break(f"call of {cls.__name__} with arguments that do not fit")
    return evaluator.born(Tuple([made[name] for name in cls._fields], cls))


def _call_instance(
    evaluator: Evaluator,
    function: Instance,
    arguments: list[Value],
    keywords: dict[str, Value],
    depth: int,
) -> Value:
    from framejit.attributes import get, special

    if issubclass(function.cls, torch.nn.Module):
        if function.cls.__call__ is not torch.nn.Module.__call__:
            raise Break("module with a __call__ of its own")
        if (
            function.real is None
            or function.real._forward_hooks
            or (function.real._forward_pre_hooks)
        ):
            raise Break("module with hooks")
        assert function.origin is not None
        evaluator.trace.guards.without_hooks(function.origin)
        return call(
            evaluator, get(evaluator, function, "forward", depth), arguments, keywords, depth
        )
    method = special(evaluator, function, "__call__")
    if method is None:
        raise Break(f"call of {function.cls.__name__}, which does not define it")
    return call(evaluator, method, arguments, keywords, depth)
