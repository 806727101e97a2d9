"""What a test needs of the machine that not every one has."""

from __future__ import annotations

import pytest

from framefuzz.subjects.protocol import SubjectUnavailable
from framefuzz.subjects.registry import require


def skip_unless_here(subject: str) -> None:
    """Skip the test, with the reason, where a subject cannot be loaded."""
    try:
        require(subject)
    except SubjectUnavailable as error:
        pytest.skip(str(error))
