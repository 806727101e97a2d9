"""The hook goes in and out: by hand, and around regions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from native_support import native


@pytest.fixture
def original() -> Callable[[], str]:
    """A function that returns "compiled" where the hook is in."""

    def original() -> str:
        return "original"

    def compiled() -> str:
        return "compiled"

    native.install(original.__code__, compiled.__code__)
    return original


def look(frame: Any) -> None:
    pass


def look_again(frame: Any) -> None:
    pass


def test_by_hand(original: Callable[[], str]) -> None:
    native.enable()
    assert native.enabled() and original() == "compiled"
    native.disable()
    assert not native.enabled() and original() == "original"
    native.disable()
    native.enable()
    native.enable()
    assert original() == "compiled"


def test_region(original: Callable[[], str]) -> None:
    before = native.begin(look)
    assert before is None and native.enabled() and original() == "compiled"
    assert native.begin(look_again) is look
    native.end(look)
    assert native.enabled() and original() == "compiled"
    assert native.set_callback(look) is look
    native.end(before)
    assert not native.enabled() and original() == "original"
    assert native.set_callback(None) is None


def test_region_where_the_hook_was_put_in_by_hand(original: Callable[[], str]) -> None:
    native.enable()
    native.end(native.begin(look))
    assert original() == "compiled"
    native.disable()
    native.end(native.begin(look))
    assert original() == "original"


def test_by_hand_in_a_region(original: Callable[[], str]) -> None:
    before = native.begin(look)
    native.enable()
    native.disable()
    assert original() == "compiled"
    native.end(before)
    assert original() == "original"
    before = native.begin(look)
    native.enable()
    native.end(before)
    assert original() == "compiled"


def test_regions_of_two_threads(original: Callable[[], str]) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def work() -> None:
        before = native.begin(look_again)
        begun.set()
        assert may_end.wait(60)
        native.end(before)

    thread = threading.Thread(target=work)
    before = native.begin(look)
    thread.start()
    assert begun.wait(60)
    native.end(before)
    assert original() == "compiled"
    may_end.set()
    thread.join()
    assert original() == "original"


def test_what_is_no_region() -> None:
    with pytest.raises(ValueError, match="no region has begun"):
        native.end(None)
    with pytest.raises(TypeError, match="must be callable, or None"):
        native.begin(5)
    assert not native.enabled()
    before = native.begin(look)
    with pytest.raises(TypeError, match="must be callable, or None"):
        native.end(5)
    assert native.enabled()
    native.end(before)
