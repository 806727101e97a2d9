"""Which subjects there are, found without importing torch; a name becomes a subject here."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from framefuzz.subjects.protocol import Subject, SubjectUnavailable

GROUP = "framefuzz.subjects"
OLDEST_TORCH = (2, 3)
# The CPython of whose bytecode framejit has a table (framejit.opcodes).
FRAMEJIT_PYTHON = (3, 11)
# What a subject may hand its graphs to.
BACKENDS = ("eager", "aot_eager", "inductor")

_OWN = {
    "eager": "framefuzz.subjects.eager:EagerSubject",
    "dynamo": "framefuzz.subjects.dynamo:DynamoSubject",
    "framejit": "framefuzz.subjects.framejit:FramejitSubject",
}


def names() -> list[str]:
    """The names of all subjects: the project's own first, then those of entry points, sorted."""
    others = {point.name for point in metadata.entry_points(group=GROUP)} - set(_OWN)
    return [*_OWN, *sorted(others)]


def split(subjects: str) -> tuple[str, ...]:
    """The names in a text that separates them by commas: ``dynamo,framejit``."""
    return tuple(name.strip() for name in subjects.split(","))


def require_each(subjects: str) -> None:
    """Raise SubjectUnavailable if one of several subjects cannot be loaded here, or is named twice.

    Eager stands alone: it is what the others are compared with.
    """
    wanted = split(subjects)
    for name in wanted:
        require(name)
    if len(set(wanted)) < len(wanted):
        raise SubjectUnavailable(f"a subject is named twice in {subjects!r}: name each once")
    if "eager" in wanted and len(wanted) > 1:
        raise SubjectUnavailable("eager is what the others are compared with: leave it out")


def require(name: str) -> None:
    """Raise SubjectUnavailable, saying what to do, if a subject cannot be loaded here."""
    if name not in names():
        raise SubjectUnavailable(f"no subject {name!r}: choose one of {', '.join(names())}")
    require_torch()
    if name == "framejit":
        _require_framejit()


def require_torch() -> None:
    """Raise SubjectUnavailable if torch is missing or too old: then nothing can be tested."""
    if importlib.util.find_spec("torch") is None:
        raise SubjectUnavailable("torch is not installed: pip install 'torch>=2.3'")
    version = metadata.version("torch")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_TORCH:
        raise SubjectUnavailable(f"torch {version} is too old: pip install 'torch>=2.3'")


def _require_framejit() -> None:
    """Raise SubjectUnavailable where framejit cannot run; imports neither it nor torch."""
    if sys.version_info[:2] != FRAMEJIT_PYTHON:
        here, needed = (".".join(map(str, v)) for v in (sys.version_info[:2], FRAMEJIT_PYTHON))
        raise SubjectUnavailable(
            f"framejit compiles bytecode of CPython {needed} only, and this is {here}: "
            f"use Python {needed}"
        )
    found = importlib.util.find_spec("framejit")
    folders = (found.submodule_search_locations if found else None) or ()
    if not any(
        (Path(folder) / f"_native{suffix}").is_file()
        for folder in folders
        for suffix in EXTENSION_SUFFIXES
    ):
        raise SubjectUnavailable(
            "framejit's native core is not built: install framefuzz with a C++ compiler at hand"
        )


def load(name: str, backend: str = "eager") -> Subject:
    """Make a subject; imports torch.  Raises SubjectUnavailable as ``require`` does."""
    require(name)
    target = _OWN.get(name) or next(
        point.value for point in metadata.entry_points(group=GROUP) if point.name == name
    )
    module, _, attribute = target.partition(":")
    try:
        factory: Callable[..., Subject] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SubjectUnavailable(f"subject {name!r} cannot be loaded: {error}") from None
    return factory(backend=backend)
