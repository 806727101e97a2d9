"""The first difference between two descriptions of a value."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from framefuzz.observe.render import elements
from framefuzz.trace import SECTIONS, Node, Observation, TensorBits

# An exception's text after this says where it was raised; compilers add it, CPython does not.
_USER_CODE = "\\n\\nfrom user code"
_CHAIN = (".__cause__", ".__context__")


@dataclass
class Difference:
    """Where two observations differ first, how, and the two values there (None: not there).

    ``kind`` is one of: type, value, length, keys, order, identity, presence, or for tensors
    dtype, shape, stride, requires_grad, storage, bits.
    """

    path: str
    kind: str
    eager: Node | None
    subject: Node | None


@dataclass
class Comparison:
    """How strictly to compare: bit for bit or not, and which tolerances hold."""

    exact: bool
    tolerances: frozenset[str]

    def observations(self, eager: Observation, subject: Observation) -> Difference | None:
        """The first difference, section by section; None if there is none."""
        for section in SECTIONS:
            left, right = eager.sections.get(section), subject.sections.get(section)
            if left is None and right is None:
                continue
            if left is None or right is None:
                return Difference(section, "presence", left, right)
            if section == "exc" and self._excused(left, right):
                continue
            found = self.nodes(left, right, section)
            if found is not None:
                return found
        return None

    def nodes(self, left: Node, right: Node, path: str) -> Difference | None:
        """The first difference in two trees; ``left`` is eager's."""
        if left.kind != right.kind:
            kind = "identity" if "ref" in (left.kind, right.kind) else "type"
            return Difference(path, kind, left, right)
        if left.number != right.number:
            return Difference(path, "identity", left, right)
        if left.tensor is not None and right.tensor is not None:
            unlike = self._tensors(left.tensor, right.tensor)
            if unlike:
                return Difference(path, unlike, left, right)
        if left.text != right.text and not self._same_but_for_user_code(left, right):
            return Difference(path, "value", left, right)
        return self._parts(left, right, path)

    def _parts(self, left: Node, right: Node, path: str) -> Difference | None:
        ours, theirs = left.parts, right.parts
        if "compiler-context" in self.tolerances:
            theirs = _without_compiler_context(ours, theirs)
        left_edges = [edge for edge, _ in ours]
        right_edges = [edge for edge, _ in theirs]
        if left_edges != right_edges:
            if sorted(left_edges) == sorted(right_edges):
                return Difference(path, "order", left, right)
            named = any(not edge.startswith(("[", "{")) for edge in left_edges + right_edges)
            keyed = left.kind in ("dict", "OrderedDict", "defaultdict", "Counter") or named
            return Difference(path, "keys" if keyed else "length", left, right)
        for (edge, ours_child), (_, theirs_child) in zip(ours, theirs, strict=True):
            found = self.nodes(ours_child, theirs_child, path + edge)
            if found is not None:
                return found
        return None

    def _tensors(self, left: TensorBits, right: TensorBits) -> str:
        for fact in ("dtype", "shape", "stride", "requires_grad", "storage", "offset"):
            if getattr(left, fact) != getattr(right, fact):
                return fact
        if left.data == right.data:
            return ""
        if self.exact or "inexact-bits" not in self.tolerances:
            return "bits"
        try:
            torch.testing.assert_close(elements(right), elements(left), equal_nan=True)
        except AssertionError:
            return "bits"
        return ""

    def _excused(self, left: Node, right: Node) -> bool:
        return (
            "torch-runtime-error" in self.tolerances
            and left.kind == "RuntimeError"
            and right.kind == "TorchRuntimeError"
        )

    def _same_but_for_user_code(self, left: Node, right: Node) -> bool:
        return (
            "from-user-code" in self.tolerances
            and left.kind == "str"
            and _USER_CODE in right.text
            and _USER_CODE not in left.text
            and left.text[1:-1].rstrip() == right.text[1:].partition(_USER_CODE)[0].rstrip()
        )


def _without_compiler_context(
    ours: tuple[tuple[str, Node], ...], theirs: tuple[tuple[str, Node], ...]
) -> tuple[tuple[str, Node], ...]:
    """The subject's parts without a cause or context that is the compiler's own exception."""
    chained = [part for part in theirs if part[0] in _CHAIN]
    if not chained or any(edge in _CHAIN for edge, _ in ours):
        return theirs
    if all(node.kind.startswith(COMPILER_EXCEPTIONS) for _, node in chained):
        return tuple(part for part in theirs if part[0] not in _CHAIN)
    return theirs


# torch._dynamo.exc: Observed... stand for the program's exceptions while tracing.
COMPILER_EXCEPTIONS = (
    "Observed",
    "Unsupported",
    "TorchRuntimeError",
    "TorchDynamoException",
    "InternalTorchDynamoError",
    "BackendCompilerFailed",
    "UserError",
)
