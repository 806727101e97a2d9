"""Tensors: attributes, methods, torch's functions, and modules of torch.nn called as a whole."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from framejit.evaluator import Evaluator
from framejit.graph import as_fake, as_node, unknown_sizes
from framejit.known import known, value_of
from framejit.stops import Break, MadeStatic
from framejit.values import BuiltinMethod, Const, Known, List, Tensor, Tuple, Value

_CONSTANT_ATTRIBUTES = frozenset(
    (
        "shape dtype device ndim layout requires_grad is_cuda is_cpu is_meta is_sparse "
        "is_quantized itemsize nbytes"
    ).split()
)
_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag"})
_CONSTANT_METHODS = frozenset(
    (
        "size dim ndimension numel nelement stride is_contiguous element_size "
        "is_floating_point is_complex is_signed get_device storage_offset is_same_size "
        "__len__ is_conj is_neg"
    ).split()
)
_LEFT_TO_PYTHON = frozenset(
    (
        "item tolist numpy backward requires_grad_ detach_ data_ptr storage untyped_storage "
        "set_ resize_ resize_as_ register_hook retain_grad apply_ map_ share_memory_ names "
        "rename rename_ type __bool__ __int__ __float__ __index__ __array__ __dlpack__ "
        "unsafe_chunk register_post_accumulate_grad_hook record_stream sparse_resize_ "
        "to_dense swapaxes_ t_ transpose_ squeeze_ unsqueeze_ swapdims_ as_strided_ cuda "
        "__deepcopy__ __reduce_ex__ is_set_to equal allclose is_nonzero polygamma_ zero__ "
        "module_load refine_names align_to align_as unflatten"
    ).split()
)


def tensor_attribute(evaluator: Evaluator, owner: Tensor, name: str) -> Value:
    """``tensor.name``."""
    if name == "shape" and owner.sizes:
        return Tuple(sizes_of(evaluator, owner), torch.Size)
    if name in _CONSTANT_ATTRIBUTES:
        _check_shape_known(owner, name)
        return value_of(getattr(owner.fake, name))
    if name in _VIEWS:
        return operate(evaluator, "call_function", getattr, [owner, Const(name)])
    found = getattr(torch.Tensor, name, None)
    if owner.real is not None and name in getattr(owner.real, "__dict__", {}):
        raise Break(f"attribute {name!r} that was put on a tensor")
    if callable(found):
        return BuiltinMethod(owner, name)
    raise Break(f"attribute {name!r} of a tensor")


def operate(
    evaluator: Evaluator,
    kind: str,
    target: Callable[..., Any] | str,
    arguments: Sequence[Value],
    keywords: dict[str, Value] | None = None,
) -> Value:
    """Capture an operation, with its arguments looked into."""
    keywords = {name: deep(evaluator, value) for name, value in (keywords or {}).items()}
    arguments = [deep(evaluator, value) for value in arguments]
    return evaluator.trace.recorder.call(kind, target, arguments, keywords)


def deep(evaluator: Evaluator, value: Value) -> Value:
    """A value with all its parts looked at."""
    value = evaluator.look(value)
    if isinstance(value, Tuple):
        value.items = [deep(evaluator, item) for item in value.items]
    elif isinstance(value, List):
        items = evaluator.trace.items(value)
        items[:] = [deep(evaluator, item) for item in items]
    return value


def sizes_of(evaluator: Evaluator, owner: Tensor) -> list[Value]:
    """A tensor's shape, as far as it is known; raises MadeStatic if that cannot be told."""
    if owner.sizes and not owner.varying:
        raise MadeStatic(owner.sizes)
    return [
        evaluator.trace.recorder.size(owner, place) if place in owner.varying else Const(size)
        for place, size in enumerate(owner.fake.shape)
    ]


# What does not depend on the shape, or only on that of a tensor from outside, which is guarded.
_SHAPELESS = frozenset(
    (
        "dtype device layout requires_grad is_cuda is_cpu is_meta is_sparse is_quantized "
        "itemsize is_floating_point is_complex is_signed element_size get_device is_conj "
        "is_neg"
    ).split()
)
_OF_GUARDED = frozenset(["ndim", "dim", "ndimension", "is_contiguous"])


def _check_shape_known(owner: Tensor, name: str) -> None:
    if owner.sizes and name not in _SHAPELESS and not (owner.varying and name in _OF_GUARDED):
        raise MadeStatic(owner.sizes)


def call_method(
    evaluator: Evaluator,
    owner: Tensor,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> Value:
    """``owner.name(...)``."""
    if name in ("size", "__len__") and owner.sizes and len(arguments) < 2 and not keywords:
        sizes = sizes_of(evaluator, owner)
        if name == "size" and not arguments:
            return Tuple(sizes, torch.Size)
        place = known(evaluator, arguments[0], "dimension") if arguments else 0
        if not -len(sizes) <= place < len(sizes):
            raise Break("dimension that is not there")
        return sizes[place]
    if name in _CONSTANT_METHODS:
        _check_shape_known(owner, name)
        plains = [known(evaluator, value, name) for value in arguments]
        keyword_plains = {key: known(evaluator, value, name) for key, value in keywords.items()}
        try:
            return value_of(getattr(owner.fake, name)(*plains, **keyword_plains))
        except (TypeError, IndexError, RuntimeError) as error:
            raise Break(f"Tensor.{name}: {type(error).__name__}") from None
    if name in _LEFT_TO_PYTHON or (name.startswith("__") and name not in _DUNDERS):
        raise Break(f"Tensor.{name}")
    return operate(evaluator, "call_method", name, [owner, *arguments], keywords)


_DUNDERS = frozenset(["__add__", "__sub__", "__mul__", "__getitem__", "__matmul__", "__neg__"])

_MODULES = frozenset(
    (
        "torch torch.nn.functional torch._C._nn torch.functional torch.linalg torch.special "
        "torch.fft torch._C._linalg torch._C._special torch._C._fft torch._VF"
    ).split()
)
_LEFT_FUNCTIONS = frozenset(
    (
        "manual_seed seed compile save load set_default_dtype set_default_device "
        "get_rng_state set_rng_state equal allclose is_nonzero from_numpy from_dlpack "
        "frombuffer set_num_threads as_tensor asarray _check _assert cond while_loop vmap "
        "is_inference_mode_enabled set_printoptions typename use_deterministic_algorithms"
    ).split()
)


def is_operation(real: Any) -> bool:
    """Whether an object is a function of torch that can be a node of a graph as it is."""
    if isinstance(real, (types.BuiltinFunctionType, types.FunctionType)):
        module = getattr(real, "__module__", None) or "torch"
        owner = getattr(real, "__self__", None)
        if isinstance(owner, types.ModuleType) or owner is None or isinstance(owner, type):
            name = getattr(real, "__name__", "")
            known_module = module in _MODULES or getattr(owner, "__name__", "") in _MODULES
            known_module = known_module or "_VariableFunctions" in str(
                getattr(owner, "__name__", "")
            )
            return known_module and name not in _LEFT_FUNCTIONS
    return False


def call_operation(
    evaluator: Evaluator, real: Any, arguments: list[Value], keywords: dict[str, Value]
) -> Value:
    """A call of one of torch's functions."""
    if real is torch.is_tensor and len(arguments) == 1:
        return Const(isinstance(evaluator.look(arguments[0]), Tensor))
    if real is torch.is_grad_enabled and not arguments:
        return Const(torch.is_grad_enabled())
    if real in (torch.numel, torch.is_floating_point, torch.is_complex) and not keywords:
        owner = evaluator.look(arguments[0])
        if isinstance(owner, Tensor):
            _check_shape_known(owner, real.__name__)
            return value_of(real(owner.fake))
    return operate(evaluator, "call_function", real, arguments, keywords)


# Modules of torch.nn


def is_leaf_module(module: Any) -> bool:
    """Whether a module and all that it contains are torch.nn's own, without hooks."""
    return all(
        type(part).__module__.startswith("torch.nn.modules")
        and not (part._forward_hooks or part._forward_pre_hooks)
        and not (part._backward_hooks or part._backward_pre_hooks)
        and "forward" not in vars(part)
        for part in module.modules()
    )


def call_module(
    evaluator: Evaluator, module: Known, arguments: list[Value], keywords: dict[str, Value]
) -> Value:
    """A call of a module of torch.nn as one operation."""
    real = module.real
    trace = evaluator.trace
    if not is_leaf_module(real):
        raise Break(f"module {type(real).__name__} that holds others' code")
    assert module.origin is not None
    trace.guards.module(module.origin, real)
    arguments = [deep(evaluator, value) for value in arguments]
    keywords = {name: deep(evaluator, value) for name, value in keywords.items()}
    nodes = tuple(as_node(value) for value in arguments)
    keyword_nodes = {name: as_node(value) for name, value in keywords.items()}
    fakes = [as_fake(value) for value in arguments]
    keyword_fakes = {name: as_fake(value) for name, value in keywords.items()}
    sizes = unknown_sizes([*arguments, *keywords.values()], numbers=True)
    return trace.recorder.call_module(real, nodes, keyword_nodes, fakes, keyword_fakes, sizes)
