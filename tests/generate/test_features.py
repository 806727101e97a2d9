"""Every feature, written on demand, is in the text, is documented, and runs under eager."""

from __future__ import annotations

import re

import pytest
from eager_runs import run_eagerly
from promises import PROMISES

from framefuzz.generate import write_case
from framefuzz.generate.chooser import SeedChooser
from framefuzz.generate.program import Program
from framefuzz.generate.registry import FEATURES, feature

SEEDS = 4


def test_every_feature_has_its_row() -> None:
    assert set(PROMISES) == set(FEATURES)


@pytest.mark.parametrize("name", FEATURES)
def test_feature_does_what_it_says(name: str) -> None:
    for seed in range(SEEDS):
        generated = write_case(SeedChooser(f"{name} {seed}"), "wanted", (name,))
        source = generated.case.source
        assert name in generated.features, source
        assert re.search(PROMISES[name], source, re.DOTALL), source
        run_eagerly(generated.case)


@pytest.mark.parametrize("name", FEATURES)
def test_feature_is_documented_in_one_sentence(name: str) -> None:
    assert re.fullmatch(r"\S.{8,85}[^.]", FEATURES[name].doc)
    assert (FEATURES[name].write.__doc__ or "").split("\n")[0].endswith(".")
    assert FEATURES[name].weight > 0


@pytest.mark.parametrize(
    "name", [f.name for f in FEATURES.values() if f.kind in ("statement", "break")]
)
def test_statement_keeps_to_the_lines_it_announces(name: str) -> None:
    for seed in range(30):
        program = Program(SeedChooser(f"{name} {seed}"))
        program.run(FEATURES[name])
        assert program.lines_used <= FEATURES[name].lines


def test_two_features_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two features are named 'print'"):
        feature("print", "statement", 1)(lambda program: None)


def test_an_unknown_feature_is_named() -> None:
    with pytest.raises(ValueError, match="no feature is named 'sorcery'"):
        write_case(SeedChooser("x"), "x", ("sorcery",))
