"""Guards: what the program can notice recompiles, and nothing else does."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest
import torch
from checking import check_program, observed, programs, recompiles, stem

import framejit


@pytest.mark.parametrize("path", programs("guards"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


X = torch.ones(2)


def scaled(x: torch.Tensor, value: Any) -> Any:
    """Depends on a value and on its type."""
    return x * 2, type(value), value == 1


@pytest.mark.parametrize(
    "values",
    [(1, True), (1, 1.0), (0.0, -0.0), (None, 0), ("a", "b"), (1, float("nan")), (2, 2**70)],
    ids=repr,
)
def test_values_that_can_be_told_apart_recompile(values: tuple[Any, Any]) -> None:
    one, other = values
    assert recompiles(scaled, (X, one), (X, one), (X, other), (X, one)) == [1, 0, 1, 0]


def test_nan_is_itself() -> None:
    nan = float("nan")
    assert recompiles(scaled, (X, nan), (X, nan)) == [1, 0]


@pytest.mark.parametrize(
    "other",
    [
        torch.ones(2, 2).double(),
        torch.ones(2, 2).requires_grad_(),
        torch.ones(2, 2, 1),
        torch.ones(4, 2)[::2],
        torch.nn.Parameter(torch.ones(2, 2)),
    ],
    ids=["dtype", "requires_grad", "dim", "strides", "Parameter"],
)
def test_tensors_of_another_kind_recompile(other: torch.Tensor) -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    assert recompiles(step, (torch.ones(2, 2),), (other,), (torch.zeros(2, 2),)) == [1, 1, 0]


def test_modes_of_torch_recompile() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return x + torch.ones(2)

    with observed() as events:
        compiled = framejit.compile(step)
        compiled(X)
        with torch.no_grad():
            compiled(X)
        assert len(events.compiled) == 2
        torch.set_default_dtype(torch.float64)
        try:
            assert compiled(X).dtype is torch.float64
        finally:
            torch.set_default_dtype(torch.float32)
        assert len(events.compiled) == 3
        assert compiled(X).dtype is torch.float32
        assert len(events.compiled) == 3


def test_what_cannot_be_noticed_does_not_recompile() -> None:
    holder = Holder()
    known = {"a": 1, "b": 2}

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + holder.used + known["a"]

    with observed() as events:
        compiled = framejit.compile(step)
        compiled(X)
        holder.unused = 5
        known["b"] = 7
        known["c"] = 7
        Holder.more = 1  # type: ignore[attr-defined]
        globals()["unrelated"] = 1
        compiled(X)
    assert len(events.compiled) == 1


def test_a_class_that_gains_an_attribute_is_noticed() -> None:
    class Local:
        pass

    it = Local()

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if hasattr(it, "flag") else x + 2

    compiled = framejit.compile(step)
    assert compiled(torch.zeros(1)).item() == 2
    Local.flag = True  # type: ignore[attr-defined]
    assert compiled(torch.zeros(1)).item() == 1


def test_a_class_that_gains_a_truth_is_noticed() -> None:
    class Local:
        pass

    it = Local()

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if it else x + 2

    compiled = framejit.compile(step)
    assert compiled(torch.zeros(1)).item() == 1
    Local.__bool__ = lambda self: False  # type: ignore[attr-defined]
    assert compiled(torch.zeros(1)).item() == 2


def test_a_property_over_an_attribute_is_noticed() -> None:
    class Local:
        pass

    it = Local()
    it.value = 1  # type: ignore[attr-defined]

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + it.value  # type: ignore[attr-defined]

    compiled = framejit.compile(step)
    assert compiled(torch.zeros(1)).item() == 1
    Local.value = property(lambda self: 9)  # type: ignore[attr-defined]
    assert compiled(torch.zeros(1)).item() == 9


def test_a_dtype_is_one_object() -> None:
    def step(x: torch.Tensor) -> bool:
        x = x + 1
        return x.dtype is FLOAT

    assert framejit.compile(step)(X) is True
    assert framejit.compile(step)(X.double()) is False


def test_what_is_empty_is_false() -> None:
    modules = torch.nn.ModuleList()

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if modules else x + 2

    assert framejit.compile(step)(torch.zeros(1)).item() == 2


def test_a_bound_method_of_something_from_outside_is_not_kept_alive() -> None:
    died: list[str] = []

    class Mortal:
        def __del__(self) -> None:
            died.append("now")

    def step(x: torch.Tensor, send: Any) -> torch.Tensor:
        x = x + 1
        send(None)
        return x

    def talk() -> Any:
        kept = Mortal()
        while kept:
            yield

    compiled = framejit.compile(step)
    generator = talk()
    compiled(X, generator.send)
    del generator
    assert died == ["now"]


FLOAT = torch.float32


class Holder:
    """Something with attributes."""

    def __init__(self) -> None:
        self.used = 1
        self.unused = 2


def test_what_only_the_breaking_instruction_looks_at_is_not_guarded() -> None:
    def step(x: torch.Tensor, members: Any) -> Any:
        y = x * 2
        return y, iter(members)

    assert recompiles(step, (X, {1}), (X, frozenset({1})), (X, {2})) == [1, 0, 0]


def test_what_the_breaking_instruction_found_in_a_tuple_is_no_constant() -> None:
    def step(x: torch.Tensor, k: int) -> Any:
        pair = (k, 2)
        y = x * 2
        if k > 100:
            return None
        return y, torch.tensor(pair).tolist(), pair

    with observed():
        compiled = framejit.compile(step)
        for k in (1, 5, 5, 7):
            assert compiled(X, k)[1:] == ([k, 2], (k, 2))


def test_a_frame_that_is_watched_is_left_for_once_and_says_why() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return x * x

    with observed() as events:
        compiled = framejit.compile(step)
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            compiled(torch.ones(1, requires_grad=True))
        assert set(events.skipped) == {"a mode or hook watches what tensors do"}
        compiled(torch.ones(1, requires_grad=True))
        assert events.graphs == 1


def test_a_builtin_of_another_modules_own_is_noticed() -> None:
    own = {"len": len}
    other: dict[str, Any] = {"__builtins__": own}
    exec("def count(values): return len(values)", other)
    count = other["count"]

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + count([1, 2])

    compiled = framejit.compile(step)
    assert compiled(torch.zeros(1)).item() == 2.0
    own["len"] = lambda values: 7
    assert compiled(torch.zeros(1)).item() == 7.0


def test_a_builtin_replaced_while_another_module_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    other: dict[str, Any] = {}
    exec("def code(letter): return ord(letter)", other)
    code = other["code"]

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + code("a")

    compiled = framejit.compile(step)
    assert compiled(torch.zeros(1)).item() == 97.0
    monkeypatch.setattr(builtins, "ord", lambda letter: 7)
    assert compiled(torch.zeros(1)).item() == 7.0


def test_class_that_is_renamed() -> None:
    class Named:
        pass

    named = Named()

    def step(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
        return x * 2, Named.__name__, type(named).__qualname__

    compiled = framejit.compile(step)
    compiled(torch.ones(1))
    Named.__name__ = Named.__qualname__ = "Renamed"
    assert compiled(torch.ones(1))[1:] == ("Renamed", "Renamed")
