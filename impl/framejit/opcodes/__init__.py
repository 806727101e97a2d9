"""What each instruction does to a symbolic frame: a table a CPython version.

A version's table is the common one with what differs replaced; adding a version is adding a table.
"""

from __future__ import annotations

import sys

from framejit.evaluator import Operation
from framejit.opcodes import containers, control, exceptions, functions, operators, variables

_COMMON: dict[str, Operation] = {
    **variables.OPERATIONS,
    **operators.OPERATIONS,
    **containers.OPERATIONS,
    **control.OPERATIONS,
    **exceptions.OPERATIONS,
    **functions.OPERATIONS,
}

_BY_VERSION: dict[tuple[int, int], dict[str, Operation]] = {(3, 11): _COMMON}


def operations() -> dict[str, Operation]:
    """The table of this CPython.

    Raises NotImplementedError if there is none.
    """
    version = sys.version_info[:2]
    if version not in _BY_VERSION:
        known = ", ".join(f"{a}.{b}" for a, b in _BY_VERSION)
        raise NotImplementedError(f"framejit compiles bytecode of CPython {known} only")
    return _BY_VERSION[version]
