"""What all tests share: the folder of this file is where helper processes import jobs from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def jobs_importable() -> None:
    """Let a fork server, a fresh interpreter, import the jobs that stand beside this file."""
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
