"""Which code and classes are the program's own, and which a library's.

Own values are described down to their parts; a library's by name, since what lies inside them
is no state of the program (locks, caches, hooks).
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from framefuzz.case import CASE_MODULE


def is_own_module(name: Any) -> bool:
    """Whether a ``__module__`` names the case, or a module that the case made by itself.

    The latter is in nobody's ``sys.modules``, or has no file and no loader.
    """
    if type(name) is not str or name == CASE_MODULE:
        return True
    module = sys.modules.get(name)
    return module is None or is_made_by_hand(module)


def is_made_by_hand(module: Any) -> bool:
    """Whether what stands in ``sys.modules`` was made by a program, not imported."""
    # What a program puts there need not be a module, and may have attributes of its own.
    if not is_subtype(types.ModuleType, type(module)):
        return True
    names = _module_dict(module)
    return names.get("__spec__") is None and "__file__" not in names


def is_library_module(value: Any) -> bool:
    """Whether a value is a module that was imported."""
    return type(value) is types.ModuleType and not is_made_by_hand(value)


def is_own_class(kind: type) -> bool:
    """Whether a class was made by the program: a heap type whose module is its own."""
    namespace = type.__dict__["__dict__"].__get__(kind)
    return "__module__" in namespace and is_own_module(namespace["__module__"])


# Whether the second type derives from the first: by real bases, whatever metaclasses say.
is_subtype: Callable[[type, type], bool] = type.__subclasscheck__

_module_dict: Any = vars(types.ModuleType)["__dict__"].__get__
