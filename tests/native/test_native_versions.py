"""The native tests under every other CPython of 3.10 to 3.13 that is on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ["3.10", "3.11", "3.12", "3.13"]

# Under FRAMEJIT_NATIVE_DIR this is such a run itself.
pytestmark = pytest.mark.skipif(
    "FRAMEJIT_NATIVE_DIR" in os.environ, reason="one CPython was asked for"
)


def interpreter(version: str) -> str | None:
    """A CPython of that version: on PATH, or among pyenv's."""
    candidates = [shutil.which(f"python{version}")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates += [str(path) for path in sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
    for candidate in candidates:
        # A pyenv shim is on PATH for every version, and runs none that is not chosen.
        if (
            candidate
            and not subprocess.run([candidate, "--version"], capture_output=True).returncode
        ):
            return candidate
    return None


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("version", VERSIONS)
def test_other_cpython(version: str) -> None:
    if version == "{}.{}".format(*sys.version_info):
        pytest.skip("the tests beside this one run under it")
    python = interpreter(version)
    if python is None:
        pytest.skip(
            f"CPYTHON {version} IS NOT ON THIS MACHINE: the native core is not tested under it"
        )
    # The first run builds the core, for a minute or two; later ones only what has changed. What
    # Hypothesis draws is explored in full under the Python at hand.
    run = [sys.executable, ROOT / "native" / "run_tests.py", "--python", python, "--", "-x"]
    environment = {"FRAMEJIT_EXAMPLES": "0.1", **os.environ}
    done = subprocess.run(run, capture_output=True, text=True, timeout=1400, env=environment)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
