"""Tensors: metadata and bits, read below every Python override."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import torch

from framefuzz.observe.ownership import is_own_class
from framefuzz.trace import TensorBits

if TYPE_CHECKING:
    from framefuzz.observe.snapshot import Parts, Snapshot


def is_tensor(kind: type) -> bool:
    """Whether a type is torch.Tensor or derived from it (by its real bases)."""
    return torch.Tensor in type.__dict__["__mro__"].__get__(kind)


def describe(snap: Snapshot, value: Any) -> tuple[str, str, Parts, TensorBits | None]:
    """Kind, text, parts and bits of a tensor.

    Sparse, quantized, meta, fake and wrapped tensors have no dense bits on the CPU; of these
    only the metadata that can be read is described.
    """
    kind = type(value)
    name = "tensor" if kind is torch.Tensor else kind.__qualname__
    # Neither a __torch_function__ of the program's nor a mode that it left on may run.
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        parts: Parts = []
        try:
            bits = _bits(snap, value)
        except (RuntimeError, NotImplementedError, TypeError) as error:
            return name, f"no dense bits: {type(error).__name__}", parts, None
        if value.is_leaf and value.requires_grad and value.grad is not None:
            parts.append((".grad", snap.node(value.grad)))
    if is_own_class(kind):
        from framefuzz.observe.instances import instance_dict

        attributes = instance_dict(value, type.__dict__["__mro__"].__get__(kind)) or {}
        parts += [(f".{key}", snap.node(item)) for key, item in list(attributes.items())]
    return name, "", parts, bits


def _bits(snap: Snapshot, value: torch.Tensor) -> TensorBits:
    if value.layout != torch.strided or value.device.type != "cpu":
        raise TypeError("no dense CPU tensor")
    dense = value.detach().resolve_conj().resolve_neg().contiguous()
    size = dense.numel() * dense.element_size()
    return TensorBits(
        dtype=str(value.dtype)[len("torch.") :],
        shape=tuple(value.shape),
        stride=value.stride(),
        requires_grad=value.requires_grad,
        storage=snap.storage_number(value.untyped_storage()._cdata),
        offset=value.storage_offset(),
        data=ctypes.string_at(dense.data_ptr(), size) if size else b"",
    )
