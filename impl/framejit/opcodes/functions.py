"""Instructions that make and call functions, and that reach attributes."""

from __future__ import annotations

from framejit import attributes
from framejit.calls import call
from framejit.decode import Instruction
from framejit.evaluator import Evaluator, Frame, Operation
from framejit.iteration import drained
from framejit.known import born_now
from framejit.stops import Break
from framejit.values import NULL, Cell, Const, Dict, Function, Known, Null, Tuple, Value


def load_attr(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.push(attributes.get(evaluator, frame.pop(), instruction.argument, frame.depth))


def load_method(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    # A method is kept bound: what is called does not tell the difference.
    value = attributes.get(evaluator, frame.pop(), instruction.argument, frame.depth)
    frame.push(NULL)
    frame.push(value)


def store_attr(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    owner, value = frame.pop(), frame.pop()
    attributes.set_(evaluator, owner, instruction.argument, value, frame.depth)


def delete_attr(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    attributes.delete(evaluator, frame.pop(), instruction.argument)


def make_function(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    flags = int(instruction.argument)
    code = evaluator.look(frame.pop())
    cells = evaluator.look(frame.pop()) if flags & 8 else Tuple([])
    annotations = frame.pop() if flags & 4 else None
    kwdefaults = evaluator.look(frame.pop()) if flags & 2 else Dict({})
    defaults = evaluator.look(frame.pop()) if flags & 1 else Tuple([])
    of_cells = [cell for cell in getattr(cells, "items", ()) if isinstance(cell, Cell)]
    if not isinstance(code, Const) or len(of_cells) != len(code.value.co_freevars):
        raise Break("function made of what was put together before a break")
    if not isinstance(defaults, Tuple) or not isinstance(kwdefaults, Dict):
        raise Break("defaults that were put together before a break")
    made = Function(
        code.value,
        frame.globals,
        frame.globals_origin,
        of_cells,
        list(defaults.items),
        dict(evaluator.trace.entries(kwdefaults)),
    )
    made.annotations = annotations
    frame.push(born_now(evaluator, made))


def kw_names(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    frame.keywords = instruction.argument


def call_(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    names, frame.keywords = frame.keywords, ()
    values = frame.pop_many(instruction.argument)
    second, first = frame.pop(), frame.pop()
    if isinstance(first, Null):
        function = second
    else:
        function, values = first, [second, *values]
    keywords: dict[str, Value] = {}
    if names:
        keywords = dict(zip(names, values[-len(names) :], strict=True))
        del values[-len(names) :]
    if isinstance(evaluator.look(function), Known) and function.real is super:
        raise Break("super()")
    frame.push(call(evaluator, function, values, keywords, frame.depth))


def call_function_ex(evaluator: Evaluator, frame: Frame, instruction: Instruction) -> None:
    keywords: dict[str, Value] = {}
    if instruction.argument & 1:
        mapping = evaluator.look(frame.pop())
        if not isinstance(mapping, Dict):
            raise Break("call with ** of what is no dict")
        entries = evaluator.trace.entries(mapping)
        if not all(type(key) is str for key in entries):
            raise Break("call with ** of keys that are no strings")
        keywords = dict(entries)
    values = drained(evaluator, frame.pop(), frame.depth)
    function = frame.pop()
    frame.pop()
    frame.push(call(evaluator, function, values, keywords, frame.depth))


OPERATIONS: dict[str, Operation] = {
    "LOAD_ATTR": load_attr,
    "LOAD_METHOD": load_method,
    "STORE_ATTR": store_attr,
    "DELETE_ATTR": delete_attr,
    "MAKE_FUNCTION": make_function,
    "KW_NAMES": kw_names,
    "CALL": call_,
    "CALL_FUNCTION_EX": call_function_ex,
}
