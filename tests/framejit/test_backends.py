"""Backends: what they are given, and when they are asked anew."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from checking import observed

import framejit


class Recording:
    """A backend that runs graphs as they are, and keeps what it was given."""

    def __init__(self) -> None:
        self.graphs: list[torch.fx.GraphModule] = []
        self.inputs: list[list[Any]] = []

    def __call__(self, module: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        self.graphs.append(module)
        self.inputs.append(list(inputs))
        return module.forward


def test_a_backend_gets_a_graph_and_its_inputs() -> None:
    backend = Recording()

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x + y).relu() * 2

    x, y = torch.ones(2), -torch.ones(2)
    assert framejit.compile(step, backend=backend)(x, y).tolist() == [0, 0]
    (graph,) = backend.graphs
    names = [node.name for node in graph.graph.nodes if node.op.startswith("call_")]
    assert len(names) == 3
    assert [tensor is x or tensor is y for tensor in backend.inputs[0]] == [True, True]


def test_a_graph_is_compiled_once_for_each_value_of_a_number() -> None:
    backend = Recording()

    def step(x: torch.Tensor, factor: int) -> torch.Tensor:
        return x * factor

    compiled = framejit.compile(step, backend=backend)
    for factor in (2, 3, 4, 3, 4, 2):
        assert compiled(torch.ones(1), factor).item() == factor
    assert len(backend.graphs) <= 4


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_inputs_that_share_memory_and_then_do_not(backend: str) -> None:
    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return y * 2

    compiled = framejit.compile(step, backend=backend)
    assert compiled(torch.ones(2), torch.ones(2)).tolist() == [2, 2]
    x = torch.ones(2)
    assert compiled(x, x[:]).tolist() == [4, 4]
    x = torch.ones(3)
    assert compiled(x[:2], x[1:]).tolist() == [4, 2]
    assert compiled(torch.ones(2), torch.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_gradients_and_what_is_mutated(backend: str) -> None:
    def step(x: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            kept.add_(x.sum())
        return (x * x).sum() + kept.sum()

    x, kept = torch.tensor([1.0, 2.0], requires_grad=True), torch.zeros(1)
    y = framejit.compile(step, backend=backend)(x, kept)
    y.backward()
    assert (y.item(), kept.item()) == (8.0, 3.0)
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_backend_that_fails_leaves_the_program_to_cpython() -> None:
    def failing(module: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        raise RuntimeError("no")

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    with observed():
        assert framejit.compile(step, backend=failing)(torch.ones(1)).item() == 2
