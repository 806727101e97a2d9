"""Instructions that build containers and take them apart."""

from __future__ import annotations

from typing import TypeVar

from framejit.decode import Instruction
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.iteration import drained, iterate, next_of
from framejit.known import born_now
from framejit.sequences import extend, plain_key, update
from framejit.stops import Break, Exhausted, MadeStatic
from framejit.values import Const, Dict, Iterator, List, Mutable, Set, Tensor, Tuple, Value

_C = TypeVar("_C", bound=Value)


def _target(evaluator: Evaluator, frame: Frame, depth: int, cls: type[_C]) -> _C:
    """The container on the stack that an instruction adds to; after a break it is from outside."""
    target = frame.stack[-depth] = evaluator.look(frame.stack[-depth])
    if not isinstance(target, cls):
        raise Break("container of an unknown kind on the stack")
    return target


def build_tuple(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(born_now(evaluator, Tuple(frame.pop_many(instruction.argument))))


def build_list(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(born_now(evaluator, List(frame.pop_many(instruction.argument))))


def build_set(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    values = frame.pop_many(instruction.argument)
    members = {plain_key(evaluator, value) for value in values}
    frame.push(born_now(evaluator, Set(members)))


def build_map(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    values = frame.pop_many(2 * instruction.argument)
    made: dict[object, Value] = {}
    for key, value in zip(values[::2], values[1::2], strict=True):
        made[plain_key(evaluator, key)] = value
    frame.push(born_now(evaluator, Dict(made)))


def build_const_key_map(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    keys = evaluator.look(frame.pop())
    values = frame.pop_many(instruction.argument)
    assert isinstance(keys, Tuple)
    plain = [plain_key(evaluator, key) for key in keys.items]
    frame.push(born_now(evaluator, Dict(dict(zip(plain, values, strict=True)))))


def list_append(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    target = _target(evaluator, frame, instruction.argument, List)
    evaluator.trace.touch()
    evaluator.trace.items(target).append(value)
    evaluator.trace.effects.call(target, list.append, [value])


def list_extend(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    values = frame.pop()
    target = _target(evaluator, frame, instruction.argument, List)
    extend(evaluator, target, values, frame.depth)


def list_to_tuple(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.pop())
    if not isinstance(value, List):
        raise Break("container of an unknown kind on the stack")
    frame.push(born_now(evaluator, Tuple(list(evaluator.trace.items(value)))))


def set_add(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    key = plain_key(evaluator, frame.pop())
    target = _target(evaluator, frame, instruction.argument, Set)
    evaluator.trace.touch()
    evaluator.trace.members(target).add(key)
    evaluator.trace.effects.call(target, set.add, [Const(key)])


def set_update(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.pop())
    if isinstance(value, Set):
        keys = list(evaluator.trace.members(value))
    else:
        keys = [plain_key(evaluator, item) for item in drained(evaluator, value, frame.depth)]
    target = _target(evaluator, frame, instruction.argument, Set)
    evaluator.trace.touch()
    for added in keys:
        evaluator.trace.members(target).add(added)
        evaluator.trace.effects.call(target, set.add, [Const(added)])


def map_add(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value, key = frame.pop(), frame.pop()
    plain = plain_key(evaluator, key)
    target = _target(evaluator, frame, instruction.argument, Dict)
    evaluator.trace.touch()
    evaluator.trace.entries(target)[plain] = value
    evaluator.trace.effects.set_item(target, key, value)


def dict_update(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.pop())
    if not isinstance(value, Dict):
        raise Break("unpacking of what is no dict")
    target = _target(evaluator, frame, instruction.argument, Dict)
    entries = evaluator.trace.entries(value)
    mine = evaluator.trace.entries(target)
    if instruction.name == "DICT_MERGE" and set(mine) & set(entries):
        raise Break("keyword given twice")
    update(evaluator, target, list(entries.items()))


def unpack_sequence(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.pop())
    count = instruction.argument
    if isinstance(value, Tensor):
        if value.sizes:
            raise MadeStatic(value.sizes)
        if value.fake.dim() == 0 or value.fake.shape[0] != count:
            raise Break("unpacking a tensor of another size")
    values = _taken(evaluator, value, count, frame.depth)
    if len(values) != count:
        raise Break("unpacking what has another length")
    for item in reversed(values):
        frame.push(item)


def _taken(evaluator: Evaluator, value: Value, count: int, depth: int) -> list[Value]:
    """At most one more than so many values of an iterable, as CPython takes them."""
    if not isinstance(value, (Iterator, Mutable)) or isinstance(value, (List, Dict)):
        return drained(evaluator, value, depth)
    iterator = iterate(evaluator, value, depth)
    values: list[Value] = []
    while len(values) <= count:
        try:
            values.append(next_of(evaluator, iterator, depth))
        except Exhausted:
            break
    return values


def unpack_ex(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = frame.pop()
    before, after = instruction.argument & 0xFF, instruction.argument >> 8
    values = drained(evaluator, value, frame.depth)
    if len(values) < before + after:
        raise Break("unpacking what is too short")
    middle = values[before : len(values) - after]
    for item in reversed(values[len(values) - after :] if after else []):
        frame.push(item)
    frame.push(born_now(evaluator, List(middle)))
    for item in reversed(values[:before]):
        frame.push(item)


def get_len(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.stack[-1])
    if not isinstance(value, (List, Tuple)):
        raise Break("length of a matched subject")
    items = value.items if isinstance(value, Tuple) else evaluator.trace.items(value)
    frame.push(Const(len(items)))


def match_sequence(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.stack[-1])
    if not isinstance(value, (List, Tuple, Const, Dict)):
        raise Break("match of a sequence")
    if isinstance(value, Const) and isinstance(value.value, range):
        raise Break("match of a range")
    frame.push(Const(isinstance(value, (List, Tuple))))


def match_mapping(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    value = evaluator.look(frame.stack[-1])
    if not isinstance(value, (List, Tuple, Const, Dict)):
        raise Break("match of a mapping")
    frame.push(Const(isinstance(value, Dict)))


def match_keys(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    keys, subject = frame.stack[-1], evaluator.look(frame.stack[-2])
    if not isinstance(keys, Tuple) or not isinstance(subject, Dict):
        raise Break("match of keys")
    entries = evaluator.trace.entries(subject)
    plain = [plain_key(evaluator, key) for key in keys.items]
    there = all(key in entries for key in plain)
    frame.push(Tuple([entries[key] for key in plain]) if there else Const(None))


OPERATIONS: dict[str, Operation] = {
    "BUILD_TUPLE": build_tuple,
    "BUILD_LIST": build_list,
    "BUILD_SET": build_set,
    "BUILD_MAP": build_map,
    "BUILD_CONST_KEY_MAP": build_const_key_map,
    "LIST_APPEND": list_append,
    "LIST_EXTEND": list_extend,
    "LIST_TO_TUPLE": list_to_tuple,
    "SET_ADD": set_add,
    "SET_UPDATE": set_update,
    "MAP_ADD": map_add,
    "DICT_UPDATE": dict_update,
    "DICT_MERGE": dict_update,
    "UNPACK_SEQUENCE": unpack_sequence,
    "UNPACK_EX": unpack_ex,
    "GET_LEN": get_len,
    "MATCH_SEQUENCE": match_sequence,
    "MATCH_MAPPING": match_mapping,
    "MATCH_KEYS": match_keys,
}
