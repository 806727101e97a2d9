"""What a program leaves behind: garbage, where the process is about to end anyway."""

from __future__ import annotations

import gc
import weakref

import pytest

from framefuzz.case import Case
from framefuzz.subjects import isolation


class Cyclic:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(
    ("leaves", "source", "dies"),
    [
        (False, "x = 1", True),
        (True, "x = 1", False),
        (True, "import weakref", True),
    ],
)
def test_garbage_is_left_only_by_programs_that_cannot_tell(
    leaves: bool, source: str, dies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "_leaves_garbage", False)
    if leaves:
        isolation.leave_garbage()
    try:
        with isolation.isolated(Case("c", source, "c.py")):
            watched = weakref.ref(Cyclic())
            assert watched() is not None
        # Not even a collection that comes later finds what was left.
        gc.collect()
        assert (watched() is None) is dies
    finally:
        gc.unfreeze()
