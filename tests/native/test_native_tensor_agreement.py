"""Tensor guards against the same comparison in Python, and entries that name tensors."""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from native_reference import Plain, all_checks, exploring
from native_support import at_entry, native

torch = pytest.importorskip("torch", reason="tensor guards need torch")

Source, Guard = native.Source, native.Guard
A = Source.local("a")


def takes(a: Any) -> None:
    return None


class Subclass(torch.Tensor):  # type: ignore[misc,name-defined]
    pass


class Spec(NamedTuple):
    """What a tensor guard looks at."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any
    requires_grad: bool
    device: str
    kind: type

    def make(self) -> Any:
        last = sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        storage = torch.zeros(max(last, 0) + 1, dtype=self.dtype, device=self.device)
        tensor = storage.as_strided(self.shape, self.strides).as_subclass(self.kind)
        return tensor.requires_grad_(self.requires_grad and self.dtype.is_floating_point)


FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "dtype": st.sampled_from([torch.float32, torch.float64, torch.float16, torch.int64]),
    "requires_grad": st.booleans(),
    "device": st.sampled_from(["cpu", "cpu", "meta"]),
    "kind": st.sampled_from([torch.Tensor, torch.Tensor, Subclass]),
}
dims = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=5)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Spec, Spec]:
    """Two that are alike but for what one to two draws change, if they do."""
    drawn = draw(dims)
    fields = {name: draw(values) for name, values in FIELDS.items()}
    first = Spec(tuple(n for n, _ in drawn), tuple(s for _, s in drawn), **fields)
    second = first
    for name in draw(st.lists(st.sampled_from([*FIELDS, "dims", "shape", "strides"]), max_size=2)):
        if name == "dims":
            drawn = draw(dims)
            second = second._replace(
                shape=tuple(n for n, _ in drawn), strides=tuple(s for _, s in drawn)
            )
        elif name in FIELDS:
            second = second._replace(**{name: draw(FIELDS[name])})
        elif second.shape:
            numbers = list(getattr(second, name))
            numbers[draw(st.integers(0, len(numbers) - 1))] = draw(st.integers(0, 4))
            second = second._replace(**{name: tuple(numbers)})
    return first, second


def varied(draw: Any, numbers: tuple[int, ...]) -> tuple[int | None, ...] | None:
    """None: as in the example. Otherwise each number, or None where it may vary."""
    if not draw(st.booleans()):
        return None
    free = draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))
    return tuple(None if f else n for f, n in zip(free, numbers, strict=True))


def alike(numbers: Any, wanted: Any) -> bool:
    return len(numbers) == len(wanted) and all(
        w is None or n == w for n, w in zip(numbers, wanted, strict=True)
    )


def expected(
    example: Any, value: Any, sizes: tuple[int | None, ...], strides: tuple[int | None, ...]
) -> str:
    if type(value) is not type(example):
        return "mismatch"
    same = (
        value.dtype == example.dtype
        and value.device == example.device
        and value.requires_grad == example.requires_grad
        and alike(value.shape, sizes)
        and alike(value.stride(), strides)
    )
    return "holds" if same else "mismatch"


@exploring(1000)
@given(data=st.data(), pair=pairs())
def test_tensors_agree_with_python(data: Any, pair: tuple[Spec, Spec]) -> None:
    example, value = (spec.make() for spec in pair)
    sizes = varied(data.draw, tuple(example.shape))
    strides = varied(data.draw, example.stride())
    wrap, source = data.draw(
        st.sampled_from(
            [
                (lambda v: v, A),
                (lambda v: Plain(x=v), A.attribute("x")),
                (lambda v: [v], A.item(0)),
                (lambda v: {"k": v}, A.item("k")),
            ]
        )
    )
    program = native.GuardProgram(
        takes.__code__, [Guard.tensor(source, example, sizes=sizes, strides=strides)]
    )
    told = expected(
        example,
        value,
        tuple(example.shape) if sizes is None else sizes,
        example.stride() if strides is None else strides,
    )
    for each, verdict in ((example, "holds"), (value, told)):
        answers, _ = at_entry(takes, all_checks(program), wrap(each))
        assert answers == [None if verdict == "holds" else (0, verdict)] * 2
    # With nothing in the way of the source.
    if source is not A:
        answers, _ = at_entry(takes, all_checks(program), Plain())
        assert answers[0] is not None and answers[0] == answers[1]


@pytest.mark.parametrize("kind", [torch.Tensor, Subclass, torch.nn.Parameter])
def test_entry_goes_with_the_tensor_that_it_names(kind: type) -> None:
    def original(a: Any) -> str:
        return "original"

    def compiled(a: Any) -> str:
        return "compiled"

    made = torch.ones(2)
    tensor = torch.nn.Parameter(made) if kind is torch.nn.Parameter else made.as_subclass(kind)
    tensor = tensor.requires_grad_()
    del made
    entry = native.install(original.__code__, compiled.__code__, [Guard.identity(A, tensor)])
    native.enable()
    assert original(tensor) == "compiled"
    # C++ keeps the tensor, and with it the Python object, for the backward pass.
    with torch._C.DisableTorchFunctionSubclass():
        product = tensor * tensor
    del tensor
    gc.collect()
    assert entry.alive
    assert original(product.grad_fn._saved_self) == "compiled"
    del product
    gc.collect()
    assert not entry.alive and entry.removed == "an object it depends on died"
    assert original(torch.ones(2)) == "original"
