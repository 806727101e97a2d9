"""The corpus, and the cases from threads where they are at hand, under framejit."""

from __future__ import annotations

from pathlib import Path

import pytest
from checking import CORPUS, check, stem

from framefuzz.case import read_case

SHARED = Path(__file__).parents[3] / "shared"
THREADS = sorted((SHARED / "cases" / "threads").glob("*.py"))


@pytest.mark.parametrize("path", CORPUS, ids=stem)
def test_corpus(path: Path) -> None:
    check(read_case(path))


@pytest.mark.nightly
@pytest.mark.parametrize("path", THREADS, ids=stem)
def test_threads(path: Path) -> None:
    check(read_case(path))
