"""Cases as a Hypothesis strategy."""

from __future__ import annotations

from eager_runs import run_eagerly
from hypothesis import HealthCheck, find, given, settings

from framefuzz.case import Case
from framefuzz.strategies import cases

quick = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@quick
@given(cases())
def test_drawn_cases_run_under_eager(case: Case) -> None:
    run_eagerly(case)


def test_shrinking_ends_at_a_plain_case() -> None:
    """The shortest case with a nonlocal has one, and little else."""
    shrink = settings(quick, max_examples=300)
    case = find(cases(), lambda case: "nonlocal" in case.source, settings=shrink)
    assert case.source.count("nonlocal") == 1
    assert "class " not in case.source
    assert len(case.source.splitlines()) <= 30
