"""Threads, tracing and profiling beside compiled code."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from checking import check_program, observed, programs, stem

import framejit


@pytest.mark.parametrize("path", programs("threads"), ids=stem)
def test_program(path: Path) -> None:
    check_program(path)


def test_only_the_thread_that_is_in_a_compiled_call_compiles() -> None:
    def other(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    inside, done = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        done.wait(30)

    def step(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        wait()
        return y * 2

    with observed() as events:
        thread = threading.Thread(target=framejit.compile(step), args=(torch.ones(1),))
        thread.start()
        inside.wait(30)
        other(torch.ones(1))
        done.set()
        thread.join()
    names = {event.code.co_name for event in events.compiled}
    assert "step" in names
    assert "other" not in names


def test_the_hook_goes_when_the_last_call_ends() -> None:
    from framejit import _native

    compiled = framejit.compile(lambda x: x + 1)

    def run() -> None:
        for _ in range(50):
            compiled(torch.ones(1))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not _native.enabled()


def test_profiled_calls_give_the_same() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        framejit.graph_break()
        return y * 2

    seen: list[str] = []

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if frame.f_code.co_name == "step":
            seen.append(event)

    compiled = framejit.compile(step)
    for _ in range(2):
        sys.setprofile(profile)
        try:
            y = compiled(torch.ones(1))
        finally:
            sys.setprofile(None)
        assert y.item() == 4
    assert seen.count("call") == seen.count("return")
