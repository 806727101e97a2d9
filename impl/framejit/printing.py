"""Code that framejit made, as Python source for people to read.

What framejit adds to a function is straight and is printed statement by statement, from a stack of
expressions.  What it copies of the original (the body of a resume function, exception handlers) is
quoted from the program's source as comments.  The text compiles, to a function with the same
arguments, free variables and cells as the code has; it is for reading, not for running.
"""

from __future__ import annotations

import linecache
import types
from collections.abc import Callable
from types import CodeType
from typing import Any

from bytecode import BinaryOp, Compare

from framejit.decode import PROLOGUE, Decoded, Instruction

_BINARY = {
    "ADD": "+",
    "AND": "&",
    "FLOOR_DIVIDE": "//",
    "LSHIFT": "<<",
    "MATRIX_MULTIPLY": "@",
    "MULTIPLY": "*",
    "REMAINDER": "%",
    "OR": "|",
    "POWER": "**",
    "RSHIFT": ">>",
    "SUBTRACT": "-",
    "TRUE_DIVIDE": "/",
    "XOR": "^",
}
_COMPARE = {"LT": "<", "LE": "<=", "EQ": "==", "NE": "!=", "GT": ">", "GE": ">="}
_LITERALS = (type(None), bool, int, float, complex, str, bytes, type(...))
_INDENT = "    "


def source_of(code: CodeType, names: dict[int, str] | None = None) -> str:
    """The source text of a made code object.

    ``names`` are what constants are called that have no literal, by ``id``: graphs, say.
    """
    return _Printer(code, names or {}).text()


def identifier(name: str) -> str:
    """A variable's name as source can have it: a comprehension's ``.0`` becomes ``_0``."""
    return name.replace(".", "_").replace("<", "_").replace(">", "_")


class _Printer:
    def __init__(self, code: CodeType, names: dict[int, str]) -> None:
        self._code = code
        self._names = names
        self._stack: list[str] = []
        self._lines: list[str] = []
        self._ends: list[int] = []
        self._keywords: tuple[str, ...] = ()
        self._written: set[str] = set()
        self._globals: set[str] = set()

    def text(self) -> str:
        code = self._code
        free = [identifier(name) for name in code.co_freevars]
        body = self._body()
        head = []
        if self._globals:
            head.append(f"global {', '.join(sorted(self._globals))}")
        nonlocal_ = sorted(name for name in free if name in self._written)
        if nonlocal_:
            head.append(f"nonlocal {', '.join(nonlocal_)}")
        tail = []
        if free:
            tail.append(f"({', '.join(free)},)  # free variables")
        if code.co_cellvars:
            cells = ", ".join(identifier(name) for name in code.co_cellvars)
            tail.append(f"lambda: ({cells},)  # cells")
        for name in code.co_cellvars:
            if name not in _arguments(code) and identifier(name) not in self._written:
                tail.append(f"{identifier(name)} = ...")
        lines = [*head, *body, *tail]
        if all(line.lstrip().startswith("#") for line in lines):
            lines.append("...")
        inner = [self._signature(), *(_INDENT + line if line else "" for line in lines)]
        if not free:
            return "\n".join(inner) + "\n"
        outer = [f"def closure({', '.join(free)}):", *(_INDENT + line for line in inner)]
        return "\n".join([*outer, f"{_INDENT}return {identifier(code.co_name)}"]) + "\n"

    def _signature(self) -> str:
        code = self._code
        names = [identifier(name) for name in _arguments(code)]
        count, only = code.co_argcount, code.co_kwonlyargcount
        parts = names[:count]
        if code.co_posonlyargcount:
            parts.insert(code.co_posonlyargcount, "/")
        rest = names[count + only :]
        if code.co_flags & 0x04:
            parts.append("*" + rest.pop(0))
        elif only:
            parts.append("*")
        parts += names[count : count + only]
        if code.co_flags & 0x08:
            parts.append("**" + rest.pop(0))
        return f"def {identifier(code.co_name)}({', '.join(parts)}):"

    def _body(self) -> list[str]:
        # Not decode(), which remembers: made code can hold constants that have no hash.
        decoded = Decoded(self._code)
        added = self._added(decoded.instructions)
        place = 0
        while place < added:
            while self._ends and place >= self._ends[-1]:
                self._ends.pop()
            instruction = decoded.instructions[place]
            if instruction.name == "UNPACK_SEQUENCE":
                place = self._unpack(decoded.instructions, place)
                continue
            self._step(instruction)
            place += 1
        self._ends.clear()
        self._quote(decoded.instructions[added:])
        return self._lines

    def _added(self, instructions: list[Instruction]) -> int:
        """How many instructions stand before what was copied, or runs after an exception."""
        handlers = [i.handler.target for i in instructions if i.handler is not None]
        ends = [min(handlers)] if handlers else []
        if self._code.co_name.startswith("resume_in_"):
            jumps = [p for p, i in enumerate(instructions) if i.name == "JUMP_FORWARD"]
            straight = [p for p in jumps if not any(i.name == "CALL" for i in instructions[:p])]
            ends += straight[:1]
        return min(ends, default=len(instructions))

    def _quote(self, instructions: list[Instruction]) -> None:
        first = self._code.co_firstlineno
        lines = sorted({i.line for i in instructions if i.line is not None} - {first})
        if any(isinstance(i.argument, CodeType) and _is_copy(i.argument) for i in instructions):
            self._line(f"# if the graph raises: {self._code.co_name} as it was, from its start")
        if not lines:
            return
        name = self._code.co_filename
        self._line(f"# from the original, {name}:")
        for number in lines:
            self._line(f"# {number}: {linecache.getline(name, number).rstrip()}".rstrip())

    def _line(self, text: str) -> None:
        self._lines.append(_INDENT * len(self._ends) + text)

    def _pop(self) -> str:
        return self._stack.pop() if self._stack else "..."

    def _pop_many(self, count: int) -> list[str]:
        return [self._pop() for _ in range(count)][::-1]

    def _store(self, name: str) -> None:
        self._written.add(name)
        self._line(f"{name} = {self._pop()}")

    def _unpack(self, instructions: list[Instruction], place: int) -> int:
        count = instructions[place].argument
        stores = instructions[place + 1 : place + 1 + count]
        if not all(store.name == "STORE_FAST" for store in stores):
            value = self._pop()
            self._stack += [f"{value}[{i}]" for i in reversed(range(count))]
            return place + 1
        names = [identifier(store.argument) for store in stores]
        self._line(f"{', '.join(names)}{',' if count == 1 else ''} = {self._pop()}")
        return place + 1 + int(count)

    def _step(self, instruction: Instruction) -> None:
        name = instruction.name
        if name in PROLOGUE or name in ("RESUME", "PRECALL", "NOP", "PUSH_EXC_INFO"):
            return
        if name in _STEPS:
            _STEPS[name](self, instruction.argument)
        elif instruction.target is not None:
            self._branch(instruction)
        else:
            self._line(f"...  # {name}")

    def _branch(self, instruction: Instruction) -> None:
        assert instruction.target is not None
        name = instruction.name
        if name == "FOR_ITER":
            self._line(f"for item in {self._pop()}:")
            self._stack += ["...", "item"]
        elif name.startswith("JUMP_"):
            return
        else:
            condition = self._pop()
            text = {
                "TRUE": f"if not {condition}:",
                "FALSE": f"if {condition}:",
                "NONE": f"if {condition} is not None:",
            }.get(name.rpartition("_")[2], f"if {condition}:")
            if name.endswith("NOT_NONE"):
                text = f"if {condition} is None:"
            elif name.endswith("OR_POP"):
                text = f"if {condition}:" if "FALSE" in name else f"if not {condition}:"
            self._line(text)
        self._ends.append(instruction.target)

    # Instructions

    def _constant(self, value: Any) -> None:
        self._stack.append(self._named(value))

    def _named(self, value: Any) -> str:
        if id(value) in self._names:
            return self._names[id(value)]
        if isinstance(value, _LITERALS):
            return repr(value)
        if isinstance(value, tuple):
            inner = ", ".join(self._named(item) for item in value)
            return f"({inner},)" if value else "()"
        if isinstance(value, CodeType):
            is_own = value.co_name == self._code.co_name
            return identifier(value.co_name) + ("_again" if is_own else "")
        owner = getattr(value, "__objclass__", None)
        text = getattr(value, "__qualname__", None) or type(value).__name__
        if isinstance(value, types.ModuleType):
            text = value.__name__
        text = f"{owner.__name__}.{value.__name__}" if owner is not None else str(text)
        return "".join(c if c.isalnum() or c in "._" else "_" for c in text) or "constant"

    def _name(self, argument: Any) -> None:
        self._stack.append(identifier(getattr(argument, "name", argument)))

    def _global(self, argument: Any) -> None:
        self._stack.append(argument[1])

    def _store_variable(self, argument: Any) -> None:
        self._store(identifier(getattr(argument, "name", argument)))

    def _store_global(self, argument: Any) -> None:
        self._globals.add(argument)
        self._line(f"{argument} = {self._pop()}")

    def _delete(self, argument: Any) -> None:
        name = identifier(getattr(argument, "name", argument))
        if not name.startswith("___"):
            self._written.add(name)
            self._line(f"del {name}")

    def _attribute(self, argument: Any) -> None:
        self._stack.append(f"{self._pop()}.{argument}")

    def _store_attribute(self, argument: Any) -> None:
        owner = self._pop()
        self._line(f"{owner}.{argument} = {self._pop()}")

    def _delete_attribute(self, argument: Any) -> None:
        self._line(f"del {self._pop()}.{argument}")

    def _subscript(self, argument: Any) -> None:
        container, key = self._pop_many(2)
        self._stack.append(f"{container}[{key}]")

    def _store_subscript(self, argument: Any) -> None:
        value, container, key = self._pop_many(3)
        self._line(f"{container}[{key}] = {value}")

    def _delete_subscript(self, argument: Any) -> None:
        container, key = self._pop_many(2)
        self._line(f"del {container}[{key}]")

    def _binary(self, argument: BinaryOp) -> None:
        left, right = self._pop_many(2)
        self._stack.append(f"({left} {_BINARY[argument.name.removeprefix('INPLACE_')]} {right})")

    def _compare(self, argument: Compare) -> None:
        left, right = self._pop_many(2)
        self._stack.append(f"({left} {_COMPARE[argument.name]} {right})")

    def _call(self, count: int) -> None:
        keywords, self._keywords = self._keywords, ()
        arguments = self._pop_many(count)
        second, first = self._pop(), self._pop()
        if first == "NULL" or first == "...":
            function = second
        else:
            function, arguments = first, [second, *arguments]
        for place, keyword in enumerate(reversed(keywords), 1):
            arguments[-place] = f"{keyword}={arguments[-place]}"
        self._stack.append(f"{function}({', '.join(arguments)})")

    def _call_extended(self, flags: int) -> None:
        keywords = f", **{self._pop()}" if flags & 1 else ""
        arguments, function = self._pop(), self._pop()
        self._pop()
        self._stack.append(f"{function}(*{arguments}{keywords})")

    def _keyword_names(self, argument: tuple[str, ...]) -> None:
        self._keywords = argument

    def _function(self, flags: int) -> None:
        name = self._pop()
        for bit in (8, 4, 2, 1):
            if int(flags) & bit:
                self._pop()
        self._stack.append(name)

    def _pop_statement(self, argument: Any) -> None:
        text = self._pop()
        if "(" in text:
            self._line(text)

    def _return(self, argument: Any) -> None:
        self._line(f"return {self._pop()}")

    def _raise(self, count: int) -> None:
        values = self._pop_many(count)
        self._line(f"raise {' from '.join(values)}".rstrip())

    def _copy(self, depth: int) -> None:
        self._stack.append(self._stack[-depth] if len(self._stack) >= depth else "...")

    def _swap(self, depth: int) -> None:
        if len(self._stack) >= depth:
            self._stack[-1], self._stack[-depth] = self._stack[-depth], self._stack[-1]

    def _built(self, left: str, right: str) -> Callable[[Any], None]:
        def build(count: int) -> None:
            self._stack.append(left + ", ".join(self._pop_many(count)) + right)

        return build

    def _build_tuple(self, count: int) -> None:
        self._built("(", ",)" if count else ")")(count)

    def _build_list(self, count: int) -> None:
        self._built("[", "]")(count)

    def _build_set(self, count: int) -> None:
        self._built("{", "}")(count)

    def _build_map(self, count: int) -> None:
        parts = self._pop_many(2 * count)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        self._stack.append("{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}")

    def _build_slice(self, count: int) -> None:
        self._built("slice(", ")")(count)

    def _iterator(self, argument: Any) -> None:
        self._stack.append(f"iter({self._pop()})")

    def _null(self, argument: Any) -> None:
        self._stack.append("NULL")

    def _nothing(self, argument: Any) -> None:
        pass

    def _unary(self, argument: Any) -> None:
        self._stack.append(f"-{self._pop()}")


_STEPS: dict[str, Callable[[_Printer, Any], None]] = {
    "LOAD_CONST": _Printer._constant,
    "LOAD_FAST": _Printer._name,
    "LOAD_DEREF": _Printer._name,
    "LOAD_CLOSURE": _Printer._name,
    "LOAD_GLOBAL": _Printer._global,
    "STORE_FAST": _Printer._store_variable,
    "STORE_DEREF": _Printer._store_variable,
    "STORE_GLOBAL": _Printer._store_global,
    "DELETE_FAST": _Printer._delete,
    "DELETE_DEREF": _Printer._delete,
    "LOAD_ATTR": _Printer._attribute,
    "LOAD_METHOD": _Printer._attribute,
    "STORE_ATTR": _Printer._store_attribute,
    "DELETE_ATTR": _Printer._delete_attribute,
    "BINARY_SUBSCR": _Printer._subscript,
    "STORE_SUBSCR": _Printer._store_subscript,
    "DELETE_SUBSCR": _Printer._delete_subscript,
    "BINARY_OP": _Printer._binary,
    "COMPARE_OP": _Printer._compare,
    "CALL": _Printer._call,
    "CALL_FUNCTION_EX": _Printer._call_extended,
    "KW_NAMES": _Printer._keyword_names,
    "MAKE_FUNCTION": _Printer._function,
    "POP_TOP": _Printer._pop_statement,
    "RETURN_VALUE": _Printer._return,
    "RAISE_VARARGS": _Printer._raise,
    "COPY": _Printer._copy,
    "SWAP": _Printer._swap,
    "BUILD_TUPLE": _Printer._build_tuple,
    "BUILD_LIST": _Printer._build_list,
    "BUILD_SET": _Printer._build_set,
    "BUILD_MAP": _Printer._build_map,
    "BUILD_SLICE": _Printer._build_slice,
    "GET_ITER": _Printer._iterator,
    "PUSH_NULL": _Printer._null,
    "POP_EXCEPT": _Printer._nothing,
    "UNARY_NEGATIVE": _Printer._unary,
    "FORMAT_VALUE": _Printer._nothing,
}


def _is_copy(code: CodeType) -> bool:
    return code.co_name.endswith("_as_it_was")


def _arguments(code: CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_varnames[:count]
