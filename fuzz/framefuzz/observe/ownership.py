"""Which code and classes are the program's own, and which a library's.

Own values are described down to their parts; a library's by name, since what lies inside them
is no state of the program (locks, caches, hooks).
"""

from __future__ import annotations

import sys
from typing import Any

from framefuzz.case import CASE_MODULE


def is_own_module(name: Any) -> bool:
    """Whether a ``__module__`` names the case, or a module that the case made by itself.

    The latter is in nobody's ``sys.modules``, or has no file and no loader.
    """
    if name == CASE_MODULE or type(name) is not str:
        return True
    module = sys.modules.get(name)
    return module is None or (
        module.__dict__.get("__spec__") is None and "__file__" not in module.__dict__
    )


def is_own_class(kind: type) -> bool:
    """Whether a class was made by the program: a heap type whose module is its own."""
    namespace = type.__dict__["__dict__"].__get__(kind)
    return "__module__" in namespace and is_own_module(namespace["__module__"])
