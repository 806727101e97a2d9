"""campaign.json: what a later run needs, and when it must not continue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from framefuzz.campaign import state
from framefuzz.campaign.settings import Settings
from framefuzz.campaign.state import State, load, seed_of
from framefuzz.triage.finding import UnusableFindings


def saved(out: Path, **changes: Any) -> Path:
    new = load(Settings(out=out, seed=7))
    new.finished.add(0)
    new.finished.add(2)
    new.counts = {"same": 2}
    new.save(out)
    path = out / "campaign.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return path


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    saved(tmp_path)
    loaded = load(Settings(out=tmp_path, seed=7))
    assert isinstance(loaded, State)
    assert (loaded.finished.first_left, loaded.finished.beyond) == (1, {2})
    assert loaded.counts == {"same": 2}
    assert seed_of(tmp_path) == 7


def test_a_folder_without_a_campaign_starts_one(tmp_path: Path) -> None:
    assert seed_of(tmp_path) is None
    assert load(Settings(out=tmp_path, seed=3)).finished.first_left == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"seed": 8}, "holds a campaign with seed 7, not 8"),
        ({"subject": "eager"}, "holds a campaign with subject dynamo, not eager"),
        ({"backend": "inductor"}, "holds a campaign with backend eager, not inductor"),
    ],
)
def test_another_campaign_is_not_continued(
    tmp_path: Path, asked: dict[str, Any], said: str
) -> None:
    saved(tmp_path)
    with pytest.raises(UnusableFindings, match=said):
        load(Settings(**{"out": tmp_path, "seed": 7, **asked}))


@pytest.mark.parametrize("package", ["torch", "python", "framefuzz"])
def test_another_version_does_not_continue(tmp_path: Path, package: str) -> None:
    versions = load(Settings(out=tmp_path, seed=7)).versions
    saved(tmp_path, versions={**versions, package: "1.2.3"})
    with pytest.raises(UnusableFindings, match=rf"with {package} 1\.2\.3, not"):
        load(Settings(out=tmp_path, seed=7))


def test_a_newer_schema_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = saved(tmp_path, schema=state.SCHEMA + 1)
    with pytest.raises(UnusableFindings, match="use the newer framefuzz") as refusal:
        load(Settings(out=tmp_path, seed=7))
    assert str(refusal.value).startswith(f"{path}: has schema {state.SCHEMA + 1}")


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"schema": 1}', '"\\ud800"'])
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "campaign.json").write_text(text)
    with pytest.raises(UnusableFindings, match=r"campaign\.json") as refusal:
        load(Settings(out=tmp_path, seed=0))
    assert "\n" not in str(refusal.value)
