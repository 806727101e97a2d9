"""Writes ``repro.py``: one case as a script that needs nothing but torch."""

from __future__ import annotations

from framefuzz.case import Case
from framefuzz.triage.finding import FindingRecord


def render(case: Case, record: FindingRecord) -> str:
    """The text of a standalone script that shows the divergence."""
    return case.source
