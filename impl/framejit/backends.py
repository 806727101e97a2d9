"""Backends: what runs a captured graph."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from framejit import _native as native
from framejit.faults import planted
from framejit.graph import Input

Backend = Callable[[torch.fx.GraphModule, list[Any]], Callable[..., Any]]


def resolved(backend: str | Backend) -> str | Backend:
    """A backend by name or as a callable; raises ValueError for a name that is not known."""
    if callable(backend) or backend == "eager":
        return backend
    try:
        found: Backend = torch._dynamo.lookup_backend(backend)
    except Exception:
        known = ", ".join(sorted({"eager", *torch._dynamo.list_backends(None)}))
        raise ValueError(f"no backend {backend!r}; there are {known}") from None
    return found


def runner(
    backend: str | Backend, module: torch.fx.GraphModule, inputs: list[Input]
) -> Callable[..., Any]:
    """What calls a graph with its inputs and returns its outputs as a tuple."""
    native.skip(type(module).forward.__code__, "graph")
    run: Callable[..., Any]
    if backend == "eager":
        run = module.forward
    else:
        assert not isinstance(backend, str)
        run = _Specialized(backend, module, inputs)
    if any(_is_random(module, node) for node in module.graph.nodes):
        run = _repeating_random(run)
    mutated = [place for place, entry in enumerate(inputs) if entry.mutated]
    if planted("in-place writes not undone"):
        mutated.clear()
    return _undoing(run, mutated) if mutated else run


_RANDOM: tuple[str, ...] = (
    "rand",
    "normal",
    "bernoulli",
    "dropout",
    "multinomial",
    "poisson",
    "uniform",
)
_RANDOM += ("exponential", "geometric", "cauchy")


def _is_random(module: torch.fx.GraphModule, node: torch.fx.Node) -> bool:
    target = getattr(node.target, "__name__", str(node.target)).lower()
    if node.op == "call_module":
        parts = module.get_submodule(str(node.target)).modules()
        return any("dropout" in type(part).__name__.lower() for part in parts)
    return any(word in target for word in _RANDOM)


def _repeating_random(run: Callable[..., Any]) -> Callable[..., Any]:
    """Calls a graph that draws random numbers; if it raises, what follows draws the same."""

    def repeating(*inputs: Any) -> Any:
        state = torch.get_rng_state()
        try:
            return run(*inputs)
        except Exception:
            torch.set_rng_state(state)
            raise

    native.skip(repeating.__code__, "graph")
    return repeating


_shape = operator.attrgetter("shape")


class _Specialized:
    """Compiles a graph when it is first called, once for each of its unknown numbers and sizes."""

    def __init__(self, backend: Backend, module: torch.fx.GraphModule, inputs: list[Input]) -> None:
        self._backend = backend
        self._module = module
        is_tensor = [isinstance(entry.example, torch.Tensor) for entry in inputs]
        self._tensors = [place for place, tensor in enumerate(is_tensor) if tensor]
        self._numbers = [place for place, tensor in enumerate(is_tensor) if not tensor]
        self._names = [entry.node.name for entry in inputs]
        self._mutates = any(entry.mutated for entry in inputs)
        self._compiled: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *inputs: Any) -> Any:
        tensors: Sequence[Any]
        if self._numbers:
            tensors = [inputs[i] for i in self._tensors]
            numbers = [inputs[i] for i in self._numbers]
            key: Any = repr(numbers), *map(_shape, tensors)
        else:
            tensors = inputs
            key = tuple(map(_shape, tensors))
        if self._mutates:
            # A backend takes inputs that share memory as it finds them.
            storages = [tensor.untyped_storage()._cdata for tensor in tensors]
            if len(set(storages)) < len(storages):
                key = (*key, *map(storages.index, storages), *(t.storage_offset() for t in tensors))
        run = self._compiled.get(key)
        if run is None:
            run = self._compiled[key] = self._compile(inputs, tensors)
        return run(*tensors)

    def _compile(self, inputs: tuple[Any, ...], tensors: Sequence[Any]) -> Callable[..., Any]:
        module = self._module
        if self._numbers:
            module = copy.copy(module)
            graph = copy.deepcopy(module.graph)
            values = {self._names[i]: inputs[i] for i in self._numbers}
            for node in list(graph.nodes):
                if node.op == "placeholder" and node.name in values:
                    value = values[node.name]
                    for user in list(node.users):
                        user.args = torch.fx.node.map_arg(
                            user.args, lambda n, node=node, value=value: value if n is node else n
                        )
                        user.kwargs = torch.fx.node.map_arg(
                            user.kwargs, lambda n, node=node, value=value: value if n is node else n
                        )
                    graph.erase_node(node)
            module = torch.fx.GraphModule(self._module, graph)
        callback = native.set_callback(None)
        try:
            return self._backend(module, list(tensors))
        finally:
            native.set_callback(callback)


def _undoing(run: Callable[..., Any], mutated: list[int]) -> Callable[..., Any]:
    """Calls a graph that writes to inputs; if it raises, they are as they were before."""

    def undoing(*inputs: Any) -> Any:
        before = [(inputs[place], inputs[place].detach().clone()) for place in mutated]
        try:
            return run(*inputs)
        except Exception:
            with torch.no_grad():
                for tensor, saved in before:
                    tensor.detach().copy_(saved)
            raise

    native.skip(undoing.__code__, "graph")
    return undoing
