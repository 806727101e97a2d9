"""Fixtures for the tests of framejit._native."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from native_support import native


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """Each test ends without hook, callback, entries or a changed setting."""
    yield
    native.set_callback(None)
    native.disable()
    native.reset()
    native.set_cache_limit(64)
    native.set_design(native.Design.FRAME)


@pytest.fixture
def hooked() -> Iterator[None]:
    native.enable()
    yield
    native.disable()
