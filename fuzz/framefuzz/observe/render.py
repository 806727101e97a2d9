"""Snapshots as text: short for a person, and a digest for asking whether two are the same."""

from __future__ import annotations

import hashlib
import struct

import torch

from framefuzz.observe.containers import flat_text
from framefuzz.trace import Node, Observation, TensorBits

_BRACKETS = {"list": "[]", "tuple": "()", "dict": "{}", "set": "{}", "Size": "()"}


def short(node: Node | None, limit: int = 120) -> str:
    """A node in at most ``limit`` characters, as a person would write the value."""
    if node is None:
        return "nothing"
    text = _text(node)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def elements(bits: TensorBits) -> torch.Tensor:
    """The tensor that the bits were taken from, contiguous."""
    dtype = getattr(torch, bits.dtype)
    if not bits.data:
        return torch.empty(bits.shape, dtype=dtype)
    return torch.frombuffer(bytearray(bits.data), dtype=dtype).reshape(bits.shape)


def digest(observation: Observation) -> bytes:
    """A hash of all that an observation holds; equal for equal observations only."""
    hasher = hashlib.blake2b(digest_size=16)
    for section, node in observation.sections.items():
        hasher.update(section.encode())
        hasher.update(_metadata(node).encode("utf-8", "surrogatepass"))
    return hasher.digest()


def _metadata(node: Node) -> str:
    # flat_text leaves out a tensor's metadata, which a reader of a set's order has no use for.
    return flat_text(node) + "".join(
        f"{bits.dtype}{bits.shape}{bits.stride}{bits.requires_grad}{bits.storage}{bits.offset}"
        for bits in _all_tensors(node)
    )


def _all_tensors(node: Node) -> list[TensorBits]:
    found = [] if node.tensor is None else [node.tensor]
    for _, child in node.parts:
        found += _all_tensors(child)
    return found


def _text(node: Node) -> str:
    if node.kind == "ref":
        return f"<object {node.number} again>"
    if node.tensor is not None:
        return _tensor_text(node)
    if not node.parts:
        if node.kind in ("int", "str", "bool", "NoneType", "float", "bytes", "complex", "range"):
            return node.text
        if node.kind in _BRACKETS:
            return _BRACKETS[node.kind]
        return f"{node.kind}({node.text})"
    if node.kind == "cell":
        return _text(node.parts[0][1])
    if node.kind in ("list", "tuple", "set"):
        brackets = _BRACKETS[node.kind]
        inside = ", ".join(_text(child) for _, child in node.parts)
        return brackets[0] + inside + brackets[1]
    if node.kind == "dict":
        return "{" + ", ".join(f"{_key(edge)}: {_text(child)}" for edge, child in node.parts) + "}"
    # The class is part of the state, but not of how a person writes an instance.
    shown = [(edge, child) for edge, child in node.parts if edge != ".__class__"]
    inside = ", ".join(f"{edge.lstrip('.')}={_text(child)}" for edge, child in shown)
    if not inside:
        return f"{node.kind}({node.text})"
    return f"{node.kind}({f'{node.text}: ' if node.text else ''}{inside})"


def _key(edge: str) -> str:
    return edge[1:-1] if edge.startswith("[") else edge


def _tensor_text(node: Node) -> str:
    bits = node.tensor
    assert bits is not None
    words = [bits.dtype, str(list(bits.shape))]
    if bits.requires_grad:
        words.append("requires_grad")
    head = " ".join(words)
    try:
        values = str(elements(bits).tolist())
    except (RuntimeError, TypeError, ValueError, struct.error):
        values = bits.data[:16].hex()
    return f"{node.kind}({values}, {head})"
