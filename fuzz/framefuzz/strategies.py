"""Cases as a Hypothesis strategy, for property tests and for fuzzers that drive Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from framefuzz.case import Case
from framefuzz.generate import generate
from framefuzz.generate.chooser import DrawChooser


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a generated case.  Shrinking goes towards fewer lines and plainer features."""
    return generate(DrawChooser(lambda n: draw(st.integers(0, n - 1))), "drawn")
