"""framejit.compile: on functions, methods, modules; what a compiled module is to its users."""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest
import torch
from checking import observed

import framejit


class Net(torch.nn.Module):
    """A layer, a normalization and a plain attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(3, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.scale = 2.0

    def forward(self, x: torch.Tensor) -> Any:
        return self.norm(self.fc(x)) * self.scale


def test_as_a_decorator_with_and_without_arguments() -> None:
    @framejit.compile
    def one(x: torch.Tensor) -> torch.Tensor:
        """Adds one."""
        return x + 1

    @framejit.compile(backend="eager")
    def two(x: torch.Tensor) -> torch.Tensor:
        return x + 2

    assert one(torch.ones(1)).item() == 2
    assert two(torch.ones(1)).item() == 3
    assert (one.__name__, one.__doc__) == ("one", "Adds one.")


def test_what_cannot_be_compiled_is_said() -> None:
    with pytest.raises(ValueError, match=r"no backend 'nowhere'; there are .*eager"):
        framejit.compile(lambda x: x, backend="nowhere")
    with pytest.raises(TypeError, match="int cannot be compiled: it is not callable"):
        framejit.compile(5)


def test_methods_partials_and_instances() -> None:
    class Adder:
        def __init__(self) -> None:
            self.amount = 3

        def add(self, x: torch.Tensor, more: int = 0) -> torch.Tensor:
            return x + self.amount + more

        @classmethod
        def twice(cls, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def minus(x: torch.Tensor) -> torch.Tensor:
            return x - 1

        def __call__(self, x: torch.Tensor) -> torch.Tensor:
            return self.add(x)

    adder, x = Adder(), torch.ones(1)
    with observed() as events:
        assert framejit.compile(adder.add)(x, more=1).item() == 5
        assert framejit.compile(Adder.twice)(x).item() == 2
        assert framejit.compile(Adder.minus)(x).item() == 0
        assert framejit.compile(adder)(x).item() == 4
        assert framejit.compile(functools.partial(adder.add, more=2))(x).item() == 6
        adder.amount = 10
        assert framejit.compile(adder.add)(x).item() == 11
    assert events.graphs >= 4


def test_what_calls_nothing_compiled_is_not_compiled() -> None:
    def plain(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    compiled = framejit.compile(lambda x: x * 2)
    with observed() as events:
        compiled(torch.ones(1))
        plain(torch.ones(1))
    assert [event.code.co_name for event in events.compiled] == ["<lambda>"]


def test_reset_forgets() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    compiled = framejit.compile(step)
    with observed() as events:
        compiled(torch.ones(1))
        compiled(torch.ones(1))
        framejit.reset()
        compiled(torch.ones(1))
    assert len(events.compiled) == 2


def test_a_limit_of_versions() -> None:
    def step(x: torch.Tensor, text: str) -> torch.Tensor:
        return x + len(text)

    compiled = framejit.compile(step)
    with observed() as events:
        for length in range(12):
            assert compiled(torch.zeros(1), "a" * length).item() == length
    assert len(events.compiled) == 8
    assert events.skipped == ["compiled 8 times already"]


def test_generators_and_coroutines_are_left_to_cpython() -> None:
    def generator(x: torch.Tensor) -> Any:
        yield x + 1

    async def coroutine(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    assert next(framejit.compile(generator)(torch.ones(1))).item() == 2
    with pytest.raises(StopIteration) as stop:
        framejit.compile(coroutine)(torch.ones(1)).send(None)
    assert stop.value.value.item() == 2


# A compiled module


def test_a_module_computes_what_it_wraps() -> None:
    net = Net()
    compiled = framejit.compile(net)
    x = torch.randn(5, 3)
    with observed() as events:
        assert torch.equal(compiled.eval()(x), net(x))
    assert events.graphs >= 1
    assert isinstance(compiled, torch.nn.Module)


def test_state_dicts_fit_both() -> None:
    net, other = Net(), Net()
    compiled = framejit.compile(net)
    assert list(compiled.state_dict()) == list(net.state_dict())
    compiled.load_state_dict(other.state_dict())
    assert torch.equal(net.fc.weight, other.fc.weight)
    other.load_state_dict(compiled.state_dict())
    whole = torch.nn.Sequential(compiled, torch.nn.ReLU())
    assert "0.fc.weight" in whole.state_dict()
    whole.load_state_dict(whole.state_dict())


def test_parameters_are_the_modules_own() -> None:
    net = Net()
    compiled = framejit.compile(net)
    names = [name for name, _ in net.named_parameters()]
    assert [name for name, _ in compiled.named_parameters()] == names
    assert all(a is b for a, b in zip(compiled.parameters(), net.parameters(), strict=True))
    optimizer = torch.optim.SGD(compiled.parameters(), lr=0.1)
    before = net.fc.weight.detach().clone()
    compiled(torch.randn(5, 3)).square().sum().backward()
    optimizer.step()
    assert not torch.equal(net.fc.weight, before)
    compiled.double()
    assert net.fc.weight.dtype is torch.float64
    assert compiled(torch.randn(5, 3).double()).dtype is torch.float64


def test_train_and_eval_reach_the_module() -> None:
    net = Net()
    compiled = framejit.compile(net)
    x = torch.randn(5, 3)
    assert compiled.eval() is compiled
    assert (net.training, net.norm.training, compiled.training) == (False, False, False)
    assert torch.equal(compiled(x), net(x))
    compiled.train()
    assert (net.training, net.norm.training, compiled.training) == (True, True, True)
    before = net.norm.running_mean.clone()
    compiled(x)
    assert not torch.equal(net.norm.running_mean, before)
    assert net.norm.num_batches_tracked.item() == 1


def test_attributes_are_the_modules() -> None:
    net = Net().eval()
    compiled = framejit.compile(net)
    x = torch.randn(5, 3)
    first = compiled(x)
    compiled.scale = 4.0
    assert net.scale == 4.0
    assert torch.allclose(compiled(x), first * 2)
    assert not hasattr(compiled, "nothing")
    del compiled.scale
    assert not hasattr(net, "scale")


def test_a_copy_is_apart() -> None:
    compiled = framejit.compile(Net().eval())
    other = copy.deepcopy(compiled)
    x = torch.randn(5, 3)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    assert other(x).abs().sum().item() == 0
    assert compiled(x).abs().sum().item() != 0


def test_hooks_of_the_compiled_module_run_once() -> None:
    compiled = framejit.compile(Net().eval())
    x = torch.randn(5, 3)
    calls: list[int] = []
    handle = compiled.register_forward_hook(lambda *_: calls.append(1))
    compiled(x)
    handle.remove()
    compiled(x)
    assert calls == [1]
