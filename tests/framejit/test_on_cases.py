"""The corpus, and the cases from threads where they are at hand, under framejit."""

from __future__ import annotations

from pathlib import Path

import pytest
from checking import check, stem

ROOT = Path(__file__).parents[2]
CORPUS = sorted((ROOT / "corpus").glob("*/*.py"))
THREADS = sorted((ROOT.parent / "shared" / "cases" / "threads").glob("*.py"))


@pytest.mark.parametrize("path", CORPUS, ids=stem)
def test_corpus(path: Path) -> None:
    check(path)


@pytest.mark.nightly
@pytest.mark.parametrize("path", THREADS, ids=stem)
def test_threads(path: Path) -> None:
    check(path)
