"""Models of torch.nn under framejit, forward and backward, equal to eager."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
import torch
from checking import observed

import framejit


class LstmLoop(torch.nn.Module):
    """A loop over an LSTM cell."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = torch.nn.LSTMCell(3, 5)
        self.out = torch.nn.Linear(5, 2)

    def forward(self, steps: torch.Tensor) -> Any:
        hidden = torch.zeros(steps.shape[1], 5)
        state = torch.zeros(steps.shape[1], 5)
        outputs = []
        for step in steps:
            hidden, state = self.cell(step, (hidden, state))
            outputs.append(self.out(hidden))
        return torch.stack(outputs)


class ConvNet(torch.nn.Module):
    """Two convolutions, batch normalization, pooling and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.second = torch.nn.Conv2d(4, 8, 3)
        self.pool = torch.nn.MaxPool2d(2)
        self.classify = torch.nn.Linear(8 * 3 * 3, 10)

    def forward(self, x: torch.Tensor) -> Any:
        x = torch.relu(self.norm(self.first(x)))
        x = self.pool(torch.relu(self.second(x)))
        return self.classify(x.flatten(1))


def encoder() -> torch.nn.Module:
    """A layer of a transformer, without dropout."""
    return torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)


MODELS: dict[str, tuple[Callable[[], torch.nn.Module], tuple[int, ...]]] = {
    "transformer": (encoder, (2, 5, 8)),
    "lstm": (LstmLoop, (4, 2, 3)),
    "conv": (ConvNet, (2, 1, 8, 8)),
}
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs g++")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "backend", ["eager", pytest.param("inductor", marks=[pytest.mark.nightly, needs_compiler])]
)
def test_equal_to_eager(name: str, backend: str) -> None:
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model = make()
    same = make()
    same.load_state_dict(model.state_dict())
    with observed() as events:
        compiled = framejit.compile(model, backend=backend)
        for seed in (1, 2):
            torch.manual_seed(seed)
            x = torch.randn(shape, requires_grad=True)
            expected, got = same(x), compiled(x)
            torch.testing.assert_close(got, expected)
            weights = torch.randn_like(expected)
            inputs = [x, *same.parameters()]
            right = torch.autograd.grad((expected * weights).sum(), inputs)
            gradients = torch.autograd.grad((got * weights).sum(), [x, *model.parameters()])
            for one, other in zip(gradients, right, strict=True):
                torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
        for one, other in zip(model.buffers(), same.buffers(), strict=True):
            torch.testing.assert_close(one, other)
    assert events.graphs >= 1
    assert not any(reason.startswith("internal") for reason in events.skipped)


@pytest.mark.parametrize("name", MODELS)
def test_training_goes_the_same_way(name: str) -> None:
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model = make()
    same = make()
    same.load_state_dict(model.state_dict())
    losses = []
    for trained, run in ((same, same), (model, framejit.compile(model))):
        optimizer = torch.optim.SGD(trained.parameters(), lr=0.05)
        torch.manual_seed(3)
        for _ in range(4):
            loss = run(torch.randn(shape)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    torch.testing.assert_close(losses[:4], losses[4:])
