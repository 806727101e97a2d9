"""Which subjects there are, found without importing torch; a name becomes a subject here."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from importlib import metadata

from framefuzz.subjects.protocol import Subject, SubjectUnavailable

GROUP = "framefuzz.subjects"
OLDEST_TORCH = (2, 3)
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


def require(name: str) -> None:
    """Raise SubjectUnavailable, saying what to do, if a subject cannot be loaded here."""
    if name not in names():
        raise SubjectUnavailable(f"no subject {name!r}: choose one of {', '.join(names())}")
    require_torch()


def require_torch() -> None:
    """Raise SubjectUnavailable if torch is missing or too old: then nothing can be tested."""
    if importlib.util.find_spec("torch") is None:
        raise SubjectUnavailable("torch is not installed: pip install 'torch>=2.3'")
    version = metadata.version("torch")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_TORCH:
        raise SubjectUnavailable(f"torch {version} is too old: pip install 'torch>=2.3'")


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
