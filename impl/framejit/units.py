"""What an instruction that breaks the graph takes from the stack, and leaves there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from framejit.decode import Instruction
from framejit.stops import Skip


@dataclass(frozen=True)
class Unit:
    """How many values an instruction takes, and what it leaves: ``v`` a value, ``n`` a NULL.

    ``jumped`` is what it leaves where it jumps, None if it does not; ``continues`` whether it can
    go on to the next instruction.
    """

    takes: int
    leaves: str = ""
    jumped: str | None = None
    continues: bool = True


def _adds_below(depth: int) -> Unit:
    """Takes a value, and adds it to a container so far below, which stays."""
    return Unit(depth + 1, "v" * depth)


_FIXED: dict[str, Unit] = {
    "BINARY_OP": Unit(2, "v"),
    "BINARY_SUBSCR": Unit(2, "v"),
    "COMPARE_OP": Unit(2, "v"),
    "CONTAINS_OP": Unit(2, "v"),
    "IS_OP": Unit(2, "v"),
    "STORE_SUBSCR": Unit(3),
    "DELETE_SUBSCR": Unit(2),
    "LOAD_ATTR": Unit(1, "v"),
    "LOAD_METHOD": Unit(1, "nv"),
    "STORE_ATTR": Unit(2),
    "DELETE_ATTR": Unit(1),
    "GET_ITER": Unit(1, "v"),
    "UNARY_NOT": Unit(1, "v"),
    "UNARY_NEGATIVE": Unit(1, "v"),
    "UNARY_POSITIVE": Unit(1, "v"),
    "UNARY_INVERT": Unit(1, "v"),
    "BEFORE_WITH": Unit(1, "vv"),
    "IMPORT_NAME": Unit(2, "v"),
    "IMPORT_FROM": Unit(1, "vv"),
    "LOAD_BUILD_CLASS": Unit(0, "v"),
    "LOAD_FAST": Unit(0, "v"),
    "LOAD_DEREF": Unit(0, "v"),
    "LIST_TO_TUPLE": Unit(1, "v"),
    "GET_LEN": Unit(1, "vv"),
    "MATCH_SEQUENCE": Unit(1, "vv"),
    "MATCH_MAPPING": Unit(1, "vv"),
    "MATCH_KEYS": Unit(2, "vvv"),
    "MATCH_CLASS": Unit(3, "v"),
    "STORE_GLOBAL": Unit(1),
    "STORE_FAST": Unit(1),
    "STORE_DEREF": Unit(1),
    "DELETE_FAST": Unit(0),
    "DELETE_DEREF": Unit(0),
    "DELETE_GLOBAL": Unit(0),
    "POP_TOP": Unit(1),
    "FOR_ITER": Unit(1, "vv", ""),
    "JUMP_IF_TRUE_OR_POP": Unit(1, "", "v"),
    "JUMP_IF_FALSE_OR_POP": Unit(1, "", "v"),
    "LOAD_CONST": Unit(0, "v"),
    "PUSH_NULL": Unit(0, "n"),
    "RESUME": Unit(0),
    "NOP": Unit(0),
    "RETURN_VALUE": Unit(1, "", None, False),
    "LOAD_ASSERTION_ERROR": Unit(0, "v"),
    "CHECK_EXC_MATCH": Unit(2, "vv"),
    "JUMP_FORWARD": Unit(0, "", "", False),
    "JUMP_BACKWARD": Unit(0, "", "", False),
    "LOAD_CLOSURE": Unit(0, "v"),
}
_COUNTED: dict[str, Callable[[int], Unit]] = {
    "CALL": lambda count: Unit(count + 2, "v"),
    "CALL_FUNCTION_EX": lambda flags: Unit(3 + (flags & 1), "v"),
    "FORMAT_VALUE": lambda flags: Unit(2 if flags & 4 else 1, "v"),
    "BUILD_TUPLE": lambda count: Unit(count, "v"),
    "BUILD_LIST": lambda count: Unit(count, "v"),
    "BUILD_SET": lambda count: Unit(count, "v"),
    "BUILD_MAP": lambda count: Unit(2 * count, "v"),
    "BUILD_CONST_KEY_MAP": lambda count: Unit(count + 1, "v"),
    "BUILD_STRING": lambda count: Unit(count, "v"),
    "BUILD_SLICE": lambda count: Unit(count, "v"),
    # The code, and each of defaults, keyword defaults, annotations and cells that a flag tells of.
    "MAKE_FUNCTION": lambda flags: Unit(1 + (flags & 0xF).bit_count(), "v"),
    "UNPACK_SEQUENCE": lambda count: Unit(1, "v" * count),
    "UNPACK_EX": lambda counts: Unit(1, "v" * ((counts & 0xFF) + (counts >> 8) + 1)),
    "RAISE_VARARGS": lambda count: Unit(count, "", None, False),
    "RERAISE": lambda count: Unit(1 + count, "", None, False),
    "LIST_EXTEND": _adds_below,
    "SET_UPDATE": _adds_below,
    "DICT_UPDATE": _adds_below,
    "DICT_MERGE": lambda depth: Unit(depth + 3, "v" * (depth + 2)),
    "LIST_APPEND": _adds_below,
    "SET_ADD": _adds_below,
    "MAP_ADD": lambda depth: Unit(depth + 2, "v" * depth),
}


def unit_of(instruction: Instruction) -> Unit:
    """What an instruction takes and leaves; raises Skip if the graph cannot break at it."""
    name = instruction.name
    if name in _FIXED:
        return _FIXED[name]
    if name in _COUNTED:
        return _COUNTED[name](int(instruction.argument or 0))
    if name == "LOAD_GLOBAL":
        return Unit(0, "nv" if instruction.argument[0] else "v")
    if name.startswith("POP_JUMP_"):
        return Unit(1, "", "")
    raise Skip(f"the graph cannot break at {name}")
