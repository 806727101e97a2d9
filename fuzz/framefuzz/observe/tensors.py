"""Tensors: metadata and bits, read below every Python override."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import torch

from framefuzz.observe.callables import type_name
from framefuzz.observe.instances import own_attributes
from framefuzz.observe.ownership import is_subtype
from framefuzz.trace import TensorBits

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot

_Base = torch._C.TensorBase
# The C getters and methods themselves: a subclass may have its own under the same names.
_dtype = vars(_Base)["dtype"].__get__
_shape = vars(_Base)["shape"].__get__
_layout = vars(_Base)["layout"].__get__
_device = vars(_Base)["device"].__get__
_requires_grad = vars(_Base)["requires_grad"].__get__
_is_leaf = vars(_Base)["is_leaf"].__get__
_retains_grad = vars(_Base)["retains_grad"].__get__
_grad = vars(_Base)["grad"].__get__

# The dense parts that make up each sparse layout.
_SPARSE_PARTS: dict[torch.layout, tuple[str, ...]] = {
    torch.sparse_coo: ("_indices", "_values"),
    torch.sparse_csr: ("crow_indices", "col_indices", "values"),
    torch.sparse_bsr: ("crow_indices", "col_indices", "values"),
    torch.sparse_csc: ("ccol_indices", "row_indices", "values"),
    torch.sparse_bsc: ("ccol_indices", "row_indices", "values"),
}


def is_tensor(kind: type) -> bool:
    """Whether a type is torch.Tensor or derived from it (by its real bases)."""
    return is_subtype(torch.Tensor, kind)


def describe(snap: Snapshot, value: Any) -> tuple[str, str, Parts, TensorBits | None]:
    """Kind, text, parts and bits of a tensor.

    Meta, quantized, fake and wrapped tensors have no dense bits on the CPU: of these the
    metadata is described, and of sparse ones the dense tensors that they consist of.
    """
    kind = type(value)
    # Neither a __torch_function__ of the program's nor a mode that it left on may run.
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        parts: Parts = []
        bits = None
        grows = _requires_grad(value)
        leaf = _is_leaf(value)
        text = "not a leaf" if grows and not leaf else ""
        try:
            bits = _bits(snap, value, grows)
        except (RuntimeError, NotImplementedError, TypeError):
            text = f"{text} {_metadata(value)}".strip()
            parts += _sparse_parts(snap, value)
        if grows and (leaf or _retains_grad(value)) and (grad := _grad(value)) is not None:
            parts.append((".grad", snap.node(grad)))
    parts += own_attributes(snap, kind, value)
    return "tensor" if kind is torch.Tensor else type_name(kind), text, parts, bits


def _bits(snap: Snapshot, value: torch.Tensor, requires_grad: bool) -> TensorBits:
    if _layout(value) is not torch.strided or _device(value).type != "cpu":
        raise TypeError("no dense CPU tensor")
    dense = _Base.contiguous(_Base.resolve_neg(_Base.resolve_conj(_Base.detach(value))))
    size = _Base.numel(dense) * _Base.element_size(dense)
    return TensorBits(
        dtype=str(_dtype(value))[len("torch.") :],
        shape=tuple(_shape(value)),
        stride=_Base.stride(value),
        requires_grad=requires_grad,
        storage=snap.storage_number(_Base.untyped_storage(value)._cdata),
        offset=_Base.storage_offset(value),
        data=ctypes.string_at(_Base.data_ptr(dense), size) if size else b"",
    )


def _metadata(value: torch.Tensor) -> str:
    words = [_layout(value), _device(value), _dtype(value)]
    try:
        words.append(list(_shape(value)))
    except RuntimeError:  # nested: no one shape
        words.append("no shape")
    if _requires_grad(value):
        words.append("requires_grad")
    return " ".join(str(word) for word in words)


def _sparse_parts(snap: Snapshot, value: torch.Tensor) -> Parts:
    if _device(value).type != "cpu":
        return []
    names = _SPARSE_PARTS.get(_layout(value), ())
    detached = _Base.detach(value)
    return [(f".{name}", snap.node(getattr(_Base, name)(detached))) for name in names]
