import pytest

from framefuzz.triage.paths import Edge, parse


@pytest.mark.parametrize(
    "path, section, edges",
    [
        ("out", "out", []),
        ("cells(count)", "cells", [Edge("cell", "count")]),
        ("out[0].x", "out", [Edge("item", "0"), Edge("attribute", "x")]),
        ("out['a]b'][\"c'd\"]", "out", [Edge("item", "'a]b'"), Edge("item", '"c\'d"')]),
        (r"out['it\'s']", "out", [Edge("item", r"'it\'s'")]),
        ("out[-1.5][True]", "out", [Edge("item", "-1.5"), Edge("item", "True")]),
        ("args[0]()", "args", [Edge("item", "0"), Edge("referent", "")]),
        ("args{2}state 0", "args", [Edge("other", "{2}"), Edge("other", "state 0")]),
        ("globals.a key", "globals.a key", []),
        ("", "", []),
    ],
)
def test_parse(path, section, edges):
    assert parse(path) == (section, edges)
