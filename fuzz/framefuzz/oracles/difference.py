"""The first difference between two descriptions of a value."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
import torch._dynamo.exc

from framefuzz.observe.containers import flat_text
from framefuzz.observe.render import elements
from framefuzz.trace import SECTIONS, Node, Observation, TensorBits

# Methods that Dynamo calls on the program's own objects while it traces, and CPython would not.
HOOKS = re.compile(r"\bdef __(hash|getattr|getattribute)__\(")

# An exception's text after this says where it was raised; compilers add it, CPython does not.
_USER_CODE = "\n\nfrom user code"
_CHAIN = (".__cause__", ".__context__")

Parts = tuple[tuple[str, Node], ...]


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


class Pairing:
    """Which object of the one side stands for which of the other, as met so far.

    Not the numbers themselves are compared: what only one side has and a tolerance allows is
    numbered there too.
    """

    def __init__(self) -> None:
        self._there: dict[int, int] = {}
        self._back: dict[int, int] = {}

    def agrees(self, left: int | None, right: int | None) -> bool:
        """Whether the two may be one object; from here on they are."""
        if left is None or right is None:
            return left is right
        return self._there.setdefault(left, right) == right and (
            self._back.setdefault(right, left) == left
        )


@dataclass
class Comparison:
    """How strictly to compare: bit for bit or not, and which tolerances hold.

    ``hooked`` says that the program defines methods that tracing may call (HOOKS).
    """

    exact: bool
    tolerances: frozenset[str]
    hooked: bool = False
    _objects: Pairing = field(default_factory=Pairing)
    _storages: Pairing = field(default_factory=Pairing)

    def observations(
        self, eager: Observation, subject: Observation, *, own_raise: bool = False
    ) -> Difference | None:
        """The first difference, section by section; None if there is none.

        ``own_raise`` says that what eager raised comes from a ``raise`` statement of the program's.
        """
        self._objects, self._storages = Pairing(), Pairing()
        for section in SECTIONS:
            left, right = eager.sections.get(section), subject.sections.get(section)
            if left is None and right is None:
                continue
            if left is None or right is None:
                return Difference(section, "presence", left, right)
            if section == "exc" and not own_raise and self._excused(left, right):
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
        if not self._objects.agrees(left.number, right.number):
            return Difference(path, "identity", left, right)
        if left.tensor is not None and right.tensor is not None:
            unlike = self._tensors(left.tensor, right.tensor)
            if unlike:
                return Difference(path, unlike, left, right)
        if left.text != right.text and not self._same_text(left, right, path):
            return Difference(path, "value", left, right)
        return self._parts(left, right, path)

    def _parts(self, left: Node, right: Node, path: str) -> Difference | None:
        ours, theirs = left.parts, right.parts
        if _edges(ours) != _edges(theirs):
            ours = self._without_marks(ours)
            theirs = self._without_compilers_context(ours, self._without_marks(theirs))
        left_edges, right_edges = _edges(ours), _edges(theirs)
        if left_edges != right_edges:
            if self._more_calls_noted(left, right):
                return None
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
        for fact in ("dtype", "shape", "stride", "requires_grad", "offset"):
            if getattr(left, fact) != getattr(right, fact):
                return fact
        if not self._storages.agrees(left.storage, right.storage):
            return "storage"
        if left.data == right.data:
            return ""
        if self.exact or "inexact-bits" not in self.tolerances:
            return "bits"
        try:
            torch.testing.assert_close(elements(right), elements(left), equal_nan=True)
        except (AssertionError, RuntimeError):  # the latter: a dtype without subtraction
            return "bits"
        return ""

    def _excused(self, left: Node, right: Node) -> bool:
        return (
            "torch-runtime-error" in self.tolerances
            and left.kind == "RuntimeError"
            and right.kind == "TorchRuntimeError"
        )

    def _same_text(self, left: Node, right: Node, path: str) -> bool:
        """Whether two texts of one kind are the same but for what is tolerated."""
        if left.kind == "str" and path.startswith("exc") and "from-user-code" in self.tolerances:
            ours, theirs = ast.literal_eval(left.text), ast.literal_eval(right.text)
            before, found, _ = theirs.partition(_USER_CODE)
            return bool(found) and _USER_CODE not in ours and ours.rstrip() == before.rstrip()
        if self.hooked and "tracing-calls" in self.tolerances:
            if left.kind == "int":
                return int(left.text) < int(right.text)
            if path == "stdout":
                ours, theirs = ast.literal_eval(left.text), ast.literal_eval(right.text)
                return _is_within(ours.splitlines(), theirs.splitlines())
        if left.kind == "float" and not self.exact and "inexact-bits" in self.tolerances:
            # A number read from a tensor is as inexact as the tensor.
            return math.isclose(float(left.text), float(right.text), rel_tol=1.3e-6, abs_tol=1e-5)
        return False

    def _more_calls_noted(self, left: Node, right: Node) -> bool:
        """Tolerance "tracing-calls": the subject's list has all of eager's, and more between."""
        if not self.hooked or "tracing-calls" not in self.tolerances or left.kind != "list":
            return False
        return _is_within(*([flat_text(item) for _, item in node.parts] for node in (left, right)))

    def _without_compilers_context(self, ours: Parts, theirs: Parts) -> Parts:
        """The subject's parts without a cause or context that is the compiler's own exception."""
        if "compiler-context" not in self.tolerances or any(edge in _CHAIN for edge, _ in ours):
            return theirs
        if all(node.kind in COMPILER_EXCEPTIONS for edge, node in theirs if edge in _CHAIN):
            return tuple(part for part in theirs if part[0] not in _CHAIN)
        return theirs

    def _without_marks(self, parts: Parts) -> Parts:
        """Parts without the names that a compiler added and a tolerance allows."""
        # On both sides: a program that compiles something itself has them under eager too.
        return tuple(part for part in parts if not self._allowed_mark(part[1]))

    def _allowed_mark(self, node: Node) -> bool:
        return (node.kind == "mark" and "compiler-marks" in self.tolerances) or (
            node.kind == "made" and "compiler-globals" in self.tolerances
        )


def _is_within(some: Sequence[str], more: Sequence[str]) -> bool:
    """Whether ``more`` is ``some`` with further items put in, and is longer."""
    remaining = iter(more)
    return len(some) < len(more) and all(item in remaining for item in some)


def _edges(parts: Parts) -> list[str]:
    return [edge for edge, _ in parts]


# torch._dynamo.exc: Observed... stand for the program's exceptions while tracing.
COMPILER_EXCEPTIONS = frozenset(
    kind.__name__
    for kind in vars(torch._dynamo.exc).values()
    if isinstance(kind, type)
    and issubclass(kind, Exception)
    and kind.__module__ == "torch._dynamo.exc"
)
