"""The graph of tensor operations that a trace captures, as torch.fx, run on fake tensors."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx
from torch._subclasses.fake_tensor import FakeTensorMode

from framejit._native import Expr
from framejit.faults import planted
from framejit.origins import Origin
from framejit.stops import Break, MadeStatic
from framejit.values import (
    Const,
    Dict,
    Known,
    List,
    Null,
    Number,
    Slice,
    Tensor,
    Tuple,
    Value,
)

_SCALARS: tuple[type, ...] = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    torch.dtype,
    torch.device,
    torch.layout,
)
_SCALARS += (torch.memory_format, type(...))


_LOG = logging.getLogger("torch._subclasses.fake_tensor")


class Input:
    """A placeholder: its node, where the frame finds it, and the fake or example it stands for."""

    def __init__(self, node: torch.fx.Node, origin: Origin, example: Any) -> None:
        self.node = node
        self.origin = origin
        self.example = example
        self.version = example._version if isinstance(example, torch.Tensor) else 0

    @property
    def mutated(self) -> bool:
        """Whether an operation has written to it since it was captured."""
        return isinstance(self.example, torch.Tensor) and self.example._version != self.version


class Recorder:
    """Captures operations one by one."""

    def __init__(self) -> None:
        self.graph = torch.fx.Graph()
        self.inputs: list[Input] = []
        self.modules: dict[str, torch.nn.Module] = {}
        self.operations = 0
        # Grows with whatever is captured but inputs, which are dropped where nothing uses them.
        self.captured = 0
        self.fake_mode = FakeTensorMode(allow_non_fake_inputs=False)
        self.entry_mode = torch.is_grad_enabled()
        self._node_mode = self.entry_mode
        self._of_fake: dict[int, Tensor] = {}
        self._droppable: set[torch.fx.Node] = set()

    def tensor_input(self, real: torch.Tensor, origin: Origin) -> Tensor:
        """A placeholder for a tensor from outside."""
        if real.is_inference():
            raise Break("inference tensor, which does not tell when it is written to")
        try:
            fake = self.fake_mode.from_tensor(real, static_shapes=True)
        except Exception as error:
            raise Break(f"tensor that cannot be faked: {error}") from None
        node = self.graph.placeholder(f"in_{len(self.inputs)}")
        self.inputs.append(Input(node, origin, fake))
        return self._known(Tensor(node, fake, origin, real))

    def number_input(self, real: Any, origin: Origin) -> Number:
        """A placeholder for an int or float from outside."""
        node = self.graph.placeholder(f"in_{len(self.inputs)}")
        self.inputs.append(Input(node, origin, real))
        relation = Expr.int(origin.source) if type(real) is int else None
        return Number(node, real, relation, frozenset((origin.text,)), origin)

    def _known(self, tensor: Tensor) -> Tensor:
        self._of_fake[id(tensor.fake)] = tensor
        return tensor

    def call(
        self,
        kind: str,
        target: Callable[..., Any] | str,
        arguments: Sequence[Value],
        keywords: dict[str, Value] | None = None,
    ) -> Value:
        """Capture an operation (``call_function``, ``call_method``) and run it on fakes.

        Raises Break if an argument cannot be part of a graph, or if the operation fails: if it
        does so for real, CPython will say so.
        """
        keywords = keywords or {}
        nodes = [as_node(value) for value in arguments]
        keyword_nodes = {name: as_node(value) for name, value in keywords.items()}
        result = self._run(kind, target, arguments, keywords)
        if not _is_of_tensors(result):
            raise Break(f"{_named(target)} gives {type(result).__name__}, which is no tensor")
        sizes = unknown_sizes([*arguments, *keywords.values()], numbers=target not in _ARITHMETIC)
        if sizes and type(result) in (tuple, list):
            # How many tensors there are may depend on a size.
            raise MadeStatic(sizes)
        self.set_mode_node()
        node = self._captured(kind, target, tuple(nodes), keyword_nodes)
        return self._wrapped(node, result, sizes)

    def mutate(self, target: Callable[..., Any], arguments: Sequence[Value]) -> None:
        """Capture an operation that changes its first argument and returns None."""
        nodes = [as_node(value) for value in arguments]
        self._run("call_function", target, arguments, {})
        self.set_mode_node()
        self._captured("call_function", target, tuple(nodes), {})

    def _captured(
        self,
        kind: str,
        target: Callable[..., Any] | str,
        nodes: tuple[Any, ...],
        keyword_nodes: dict[str, Any],
    ) -> torch.fx.Node:
        self.operations += 1
        self.captured += 1
        return self.graph.create_node(kind, target, nodes, keyword_nodes)

    def call_module(
        self,
        module: torch.nn.Module,
        nodes: tuple[Any, ...],
        keyword_nodes: dict[str, Any],
        fakes: list[Any],
        keyword_fakes: dict[str, Any],
        sizes: frozenset[str],
    ) -> Value:
        """Capture a call of a module whose parameters stay where they are."""
        state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        try:
            fake_state = {
                name: self.fake_mode.from_tensor(tensor, static_shapes=True)
                for name, tensor in state.items()
            }
            with self.fake_mode:
                result = torch.func.functional_call(module, fake_state, tuple(fakes), keyword_fakes)
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            raise Break(f"{type(module).__name__}: {type(error).__name__}: {first}") from None
        if not _is_of_tensors(result):
            raise Break(f"{type(module).__name__} gives {type(result).__name__}")
        self.set_mode_node()
        name = next((name for name, known in self.modules.items() if known is module), None)
        if name is None:
            name = f"module_{len(self.modules)}"
            self.modules[name] = module
        return self._wrapped(
            self._captured("call_module", name, nodes, keyword_nodes), result, sizes
        )

    def _run(
        self,
        kind: str,
        target: Callable[..., Any] | str,
        arguments: Sequence[Value],
        keywords: dict[str, Value],
    ) -> Any:
        fakes = [as_fake(value) for value in arguments]
        keyword_fakes = {name: as_fake(value) for name, value in keywords.items()}
        # That an operation fails is the program's business, which CPython will tell it.
        was_silent, _LOG.disabled = _LOG.disabled, True
        try:
            with self.fake_mode:
                if kind == "call_method":
                    return getattr(fakes[0], str(target))(*fakes[1:], **keyword_fakes)
                assert callable(target)
                return target(*fakes, **keyword_fakes)
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            raise Break(f"{_named(target)}: {type(error).__name__}: {first}") from None
        finally:
            _LOG.disabled = was_silent

    def _wrapped(self, node: torch.fx.Node, result: Any, sizes: frozenset[str]) -> Value:
        if isinstance(result, torch.Tensor):
            known = self._of_fake.get(id(result))
            if known is not None:
                return known
            made = self._known(Tensor(node, result))
            made.sizes = sizes
            return made
        if isinstance(result, (tuple, list)):
            items = []
            for place, item in enumerate(result):
                part = self.graph.call_function(operator.getitem, (node, place))
                self._droppable.add(part)
                items.append(self._wrapped(part, item, sizes))
            if type(result) is list:
                return List(items)
            return Tuple(items, type(result))
        return Const(result)

    def number(
        self, target: Callable[..., Any], arguments: Sequence[Value], example: Any, relation: Any
    ) -> Number:
        """Capture arithmetic on numbers."""
        inputs: frozenset[str] = frozenset()
        for value in arguments:
            if isinstance(value, Number):
                inputs |= value.inputs
        self.captured += 1
        node = self.graph.call_function(target, tuple(as_node(value) for value in arguments))
        if target in _SAFE:
            self._droppable.add(node)
        return Number(node, example, relation, inputs)

    def size(self, tensor: Tensor, dimension: int) -> Number:
        """Capture reading a size, of a tensor from outside, that is not known."""
        assert tensor.origin is not None
        node = self.graph.call_method("size", (tensor.node, dimension))
        self._droppable.add(node)
        example = tensor.fake.shape[dimension]
        relation = Expr.size(tensor.origin.source, dimension)
        text = size_text(tensor.origin, dimension)
        return Number(node, example, relation, frozenset((text,)))

    def set_mode_node(self) -> None:
        """See that the graph runs what comes next in the grad mode of now."""
        mode = torch.is_grad_enabled()
        if mode != self._node_mode and not planted("graph runs in one grad mode"):
            self._node_mode = mode
            self.graph.call_function(torch._C._set_grad_enabled, (mode,))

    def finish(self, outputs: Sequence[Tensor | Number]) -> torch.fx.GraphModule:
        """The graph as a module that takes the inputs and returns the outputs as a tuple.

        It leaves the grad mode as it found it.
        """
        if self._node_mode != self.entry_mode:
            self.graph.call_function(torch._C._set_grad_enabled, (self.entry_mode,))
        self.graph.output(tuple(value.node for value in outputs))
        for node in reversed(self.graph.nodes):
            is_unused = node in self._droppable
            if planted("in-place operation erased"):
                is_unused = is_unused or node.op == "call_method"
            if not node.users and is_unused:
                self.graph.erase_node(node)
        used = [entry for entry in self.inputs if entry.node.users]
        for entry in self.inputs:
            if entry not in used:
                self.graph.erase_node(entry.node)
        self.inputs = used
        root = torch.nn.Module()
        for name, module in self.modules.items():
            root.add_module(name, module)
        return torch.fx.GraphModule(root, self.graph)


# Arithmetic on numbers that cannot raise.
_SAFE = {operator.add, operator.sub, operator.mul, operator.neg}


def size_text(origin: Origin, dimension: int) -> str:
    """What a size is called among the numbers of a trace."""
    return f"{origin.text}.shape[{dimension}]"


# What only computes with a number: the result's shape does not depend on it.
_ARITHMETIC: set[Any] = {
    *(getattr(operator, name) for name in "add sub mul truediv lt le gt ge eq ne".split()),
    *(
        getattr(operator, name)
        for name in ["iadd", "isub", "imul", "itruediv", "pow", "mod", "floordiv"]
    ),
    *(getattr(torch, name) for name in "add sub mul div lt le gt ge clamp".split()),
    *"add sub mul div add_ sub_ mul_ div_ fill_ lt le gt ge eq ne clamp".split(),
}


def unknown_sizes(values: Sequence[Value], numbers: bool) -> frozenset[str]:
    """The unknown numbers that the shape of what is made of values may depend on."""
    found: frozenset[str] = frozenset()
    for value in values:
        if isinstance(value, Tensor):
            found |= value.sizes
        elif isinstance(value, Number) and numbers:
            found |= value.inputs
        elif isinstance(value, (Tuple, List)):
            found |= unknown_sizes(value.items or (), numbers)
        elif isinstance(value, Slice):
            found |= unknown_sizes(value.parts, numbers)
    return found


def _is_of_tensors(result: Any) -> bool:
    if isinstance(result, torch.Tensor):
        return True
    if isinstance(result, (tuple, list)) and not isinstance(result, torch.Size):
        return all(item is None or _is_of_tensors(item) for item in result) and bool(result)
    return False


def _named(target: Any) -> str:
    return target if isinstance(target, str) else getattr(target, "__name__", str(target))


def as_node(value: Value) -> Any:
    """What a value is as an argument of a node; raises Break if it cannot be one."""
    if isinstance(value, (Tensor, Number)):
        return value.node
    if isinstance(value, Const) and isinstance(value.value, _SCALARS):
        return value.value
    if isinstance(value, Tuple):
        if value.cls not in (tuple, torch.Size):
            raise Break(f"{value.cls.__name__} as an argument of an operation")
        return tuple(as_node(item) for item in value.items)
    if isinstance(value, List) and value.items is not None and value.cls is list:
        return [as_node(item) for item in value.items]
    if isinstance(value, Slice):
        return slice(*(as_node(part) for part in value.parts))
    if isinstance(value, Dict) and value.items is not None:
        return {key: as_node(item) for key, item in value.items.items()}
    raise Break(f"{described(value)} as an argument of an operation")


def as_fake(value: Value) -> Any:
    """What a value is when the operation runs on fakes."""
    if isinstance(value, Tensor):
        return value.fake
    if isinstance(value, Number):
        return value.example
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        return tuple(as_fake(item) for item in value.items)
    if isinstance(value, List):
        return [as_fake(item) for item in value.items or ()]
    if isinstance(value, Slice):
        return slice(*(as_fake(part) for part in value.parts))
    assert isinstance(value, Dict)
    return {key: as_fake(item) for key, item in (value.items or {}).items()}


def described(value: Value) -> str:
    """A value's kind, for the reason of a break."""
    if isinstance(value, Null):
        return "NULL"
    if isinstance(value, Known):
        return getattr(value.real, "__name__", type(value.real).__name__)
    if value.real is not None:
        return type(value.real).__name__
    return type(value).__name__.lower().rstrip("_")
