"""What a trace has assumed of the frame's variables, as native guards, each once."""

from __future__ import annotations

from typing import Any

import torch

from framejit._native import Frame, Guard
from framejit.faults import planted
from framejit.origins import Origin

# What Guard.equals takes as a whole.
EQUAL_BY_VALUE = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(...),
    type(NotImplemented),
)


class Guards:
    """The guards of one trace, in the order in which it relied on them.

    A journal of what the trace has done, so that the end of it can be taken back.
    """

    def __init__(self) -> None:
        self._journal: list[tuple[str, Any]] = []
        self._seen: set[tuple[Any, ...]] = set()

    def mark(self) -> int:
        """How far the trace has come."""
        return len(self._journal)

    def drop_since(self, mark: int) -> None:
        """Take back what was relied on since; nothing may be added afterwards."""
        del self._journal[mark:]

    def _add(self, guard: Guard, *key: Any) -> None:
        if key not in self._seen:
            self._seen.add(key)
            self._journal.append(("guard", guard))

    def _looked_at(self, origin: Origin) -> None:
        self._journal.append(("looked at", origin.text))

    def type(self, origin: Origin, cls: type) -> None:
        """It is exactly of that class."""
        self._looked_at(origin)
        key = ("type", origin.text, cls)
        if key not in self._seen:
            self._add(Guard.type(origin.source, cls), *key)

    def identity(self, origin: Origin, real: Any) -> None:
        """It is that object."""
        self._looked_at(origin)
        key = ("identity", origin.text, id(real))
        if key not in self._seen:
            self._add(Guard.identity(origin.source, real), *key)

    def equals(self, origin: Origin, value: Any) -> None:
        """It is that constant, exact in type."""
        self._looked_at(origin)
        key = ("equals", origin.text)
        if key not in self._seen:
            if type(value) is torch.device:
                self._add(Guard.predicate(origin.source, _is_device(value)), *key)
            elif (planted("1 taken for True") and type(value) in (bool, int)) or (
                planted("0.0 taken for -0.0") and type(value) is float
            ):
                self._add(Guard.predicate(origin.source, lambda found: found == value), *key)
            else:
                self._add(Guard.equals(origin.source, value), *key)

    def length(self, origin: Origin, length: int) -> None:
        """It has that length."""
        self._add(Guard.length(origin.source, length), "length", origin.text)

    def keys(self, origin: Origin, keys: tuple[Any, ...]) -> None:
        """It is a dict with these keys in this order."""
        if planted("dict order unguarded"):
            same = Guard.predicate(origin.source, lambda found: set(found) == set(keys))
            self._add(same, "keys", origin.text)
        if planted("keys compared with an iterator"):
            left = iter(keys)
            same = Guard.predicate(origin.source, lambda found: tuple(found) == tuple(left))
            self._add(same, "keys", origin.text)
        self._add(Guard.dict_keys(origin.source, keys), "keys", origin.text)

    def contents(self, origin: Origin, contents: Any) -> None:
        """It is a set of these constants."""
        self._add(Guard.set_contents(origin.source, contents), "contents", origin.text)

    def absent(self, origin: Origin) -> None:
        """Nothing is there."""
        self._add(Guard.absent(origin.source), "absent", origin.text)

    def present(self, origin: Origin) -> None:
        """Something is there."""
        self._add(Guard.present(origin.source), "present", origin.text)

    def tensor(self, origin: Origin, real: torch.Tensor, varying: frozenset[int]) -> None:
        """It is a tensor like that one, but for the sizes of some dimensions.

        With such it must be contiguous, as that one is.
        """
        self._looked_at(origin)
        if ("tensor", origin.text) in self._seen:
            return
        if planted("tensor version guarded"):
            version = real._version
            same = Guard.predicate(origin.source, lambda found: found._version == version)
            self._add(same, "version", origin.text)
        lax = _lax(origin, real)
        if lax is not None:
            self._add(lax, "tensor", origin.text)
            return
        if not varying:
            self._add(Guard.tensor(origin.source, real), "tensor", origin.text)
            return
        sizes = [None if place in varying else size for place, size in enumerate(real.shape)]
        strides = [None] * real.dim()
        guard = Guard.tensor(origin.source, real, sizes=sizes, strides=strides)
        self._add(guard, "tensor", origin.text)
        contiguous = Guard.predicate(origin.source, torch.Tensor.is_contiguous)
        self._add(contiguous, "contiguous", origin.text)

    def same(self, one: Origin, other: Origin) -> None:
        """Both are one object."""
        self._add(Guard.same([one.source, other.source]), "same", frozenset((one.text, other.text)))

    def module(self, origin: Origin, module: torch.nn.Module) -> None:
        """A module of torch.nn, called as a whole, is as it was."""
        key = ("module", origin.text)
        if key in self._seen:
            return
        self._add(Guard.predicate(origin.source, _is_like(module)), *key)

    def without_hooks(self, origin: Origin) -> None:
        """A module of the program's has no hooks, nor has torch any for all modules."""
        self._add(Guard.predicate(origin.source, _has_no_hooks), "hooks", origin.text)

    def is_cell_of_frame(self, name: str, holder: Origin) -> None:
        """A cell of a captured function is the frame's own cell of a free variable."""
        key = ("cell", name, holder.text)
        if key not in self._seen:
            self._add(Guard.frame_predicate(_shares_cell(name, holder.text)), *key)

    def will_be_there(self, origin: Origin) -> None:
        """Something is there: guarded if nothing else is that says so."""
        self._journal.append(("there", origin))

    def telling_apart(self) -> None:
        """It matters which of the objects from outside are one: one was changed, or compared."""
        self._journal.append(("telling apart", None))

    def apart(self, origin: Origin) -> None:
        """It is no other of the objects that the trace holds apart, if that matters."""
        if planted("two objects apart unguarded"):
            return
        self._journal.append(("apart", origin))

    def relation(self, relation: Any) -> None:
        """A comparison of ints holds."""
        if planted("relation unguarded"):
            return
        self._add(Guard.relation(relation), "relation", relation.text)

    def finished(self) -> list[Guard]:
        """All of them; what holds of the whole process last."""
        noted: dict[str, list[Any]] = {}
        for what, of in self._journal:
            noted.setdefault(what, []).append(of)
        guards: list[Guard] = noted.get("guard", [])
        looked_at = set(noted.get("looked at", []))
        there = {origin.text: origin for origin in noted.get("there", [])}
        present = [Guard.present(o.source) for t, o in there.items() if t not in looked_at]
        apart = {origin.text: origin.source for origin in noted.get("apart", [])}
        matters = "telling apart" in noted and len(apart) > 1
        distinct = [Guard.distinct(list(apart.values()))] if matters else []
        state = [] if planted("grad mode unguarded") else [Guard.global_state()]
        return [*guards, *present, *distinct, *state]


def _lax(origin: Origin, real: torch.Tensor) -> Guard | None:
    """A tensor's guard with a planted fault, None if there is none."""
    any_size = [None] * real.dim()
    like = _like(real)
    if planted("tensor shape unguarded"):
        return Guard.tensor(origin.source, real, sizes=any_size, strides=any_size)
    if planted("tensor strides unguarded"):
        return Guard.tensor(origin.source, real, strides=any_size)
    if planted("tensor dtype unguarded"):
        return Guard.predicate(origin.source, lambda found: _like(found)[1:] == like[1:])
    if planted("tensor requires_grad unguarded"):
        return Guard.predicate(origin.source, lambda found: _like(found)[:3] == like[:3])
    return None


def _has_no_hooks(module: Any) -> bool:
    everywhere = torch.nn.modules.module
    return not (
        module._forward_hooks
        or module._forward_pre_hooks
        or module._backward_hooks
        or module._backward_pre_hooks
        or everywhere._global_forward_hooks
        or everywhere._global_forward_pre_hooks
        or everywhere._global_backward_hooks
        or everywhere._global_backward_pre_hooks
    )


def _is_like(module: torch.nn.Module) -> Any:
    def state(part: torch.nn.Module) -> Any:
        hooks = part._forward_hooks, part._forward_pre_hooks, part._backward_hooks
        plain = {k: v for k, v in vars(part).items() if type(v) in EQUAL_BY_VALUE}
        tensors = {**part._parameters, **part._buffers}
        shapes = {k: None if t is None else _like(t) for k, t in tensors.items()}
        return type(part), plain, shapes, any(map(bool, hooks)), "forward" in vars(part)

    before = [state(part) for part in module.modules()]

    def is_like(value: Any) -> bool:
        return [state(part) for part in value.modules()] == before

    return is_like


def _like(tensor: torch.Tensor) -> Any:
    return tensor.dtype, tensor.shape, tensor.stride(), tensor.requires_grad, tensor.device


def _shares_cell(name: str, holder: str) -> Any:
    def shares_cell(frame: Frame) -> bool:
        place = frame.code.co_freevars.index(name)
        assert frame.function is not None
        assert frame.function.__closure__ is not None
        cell = eval(holder, frame.globals, dict(frame.locals))
        return cell is frame.function.__closure__[place]

    return shares_cell


def _is_device(device: torch.device) -> Any:
    def is_same_device(value: Any) -> bool:
        return bool(type(value) is torch.device and value == device)

    return is_same_device
