"""Builds the native core for one CPython and runs its tests under it, without torch.

    python native/run_tests.py [--python PATH] [--sanitize] [--build-dir DIR] [-- PYTEST ARGS]

The build, and an environment with pybind11, pytest and hypothesis, are kept in the build directory
(build/native-tests/VERSION by default) and brought up to date at the next run. --sanitize builds
under AddressSanitizer and UBSan and lets CPython use plain malloc, so that a use after free is
seen. Exit code: pytest's, or 3 if the build failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["pybind11>=2.12", "pytest>=8", "pytest-timeout>=2.3", "hypothesis>=6.100"]


def output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def prepare(python: str, directory: Path) -> Path:
    """An environment with what the tests import; returns its interpreter."""
    environment = directory / "venv"
    interpreter = environment / "bin" / "python"
    stamp = environment / ".installed"
    if not stamp.exists():
        subprocess.run([python, "-m", "venv", environment], check=True)
        install: list[str | Path] = [
            interpreter,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([*install, *PACKAGES], check=True)
        stamp.touch()
    return interpreter


def build(interpreter: Path, directory: Path, sanitize: bool) -> Path:
    """Returns the directory that holds _native."""
    target = directory / ("sanitized" if sanitize else "plain")
    configure = [
        "cmake",
        f"-S{ROOT}",
        f"-B{target}",
        # Debug switches pybind11's link-time optimization off, which these tests need not wait for.
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
        f"-DFRAMEJIT_SANITIZE={'ON' if sanitize else 'OFF'}",
        "-DPYBIND11_FINDPYTHON=ON",
        f"-DPython_EXECUTABLE={interpreter}",
        f"-Dpybind11_DIR={output(interpreter, '-m', 'pybind11', '--cmakedir')}",
    ]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", target], check=True, stdout=subprocess.DEVNULL)
    return target


def environment_for(built: Path, sanitize: bool) -> dict[str, str]:
    environment = {**os.environ, "FRAMEJIT_NATIVE_DIR": str(built)}
    environment.pop("PYTHONPATH", None)
    if sanitize:
        # CPython itself is not built under the sanitizers, so they have to be there before it.
        libraries = [output("c++", f"-print-file-name=lib{name}.so") for name in ("asan", "ubsan")]
        environment["LD_PRELOAD"] = " ".join(libraries)
        # What CPython leaves behind at exit is not ours to report: tests watch the memory instead,
        # which needs a small bound on how much freed memory is kept back.
        environment["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=1:quarantine_size_mb=16"
        environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
        environment["PYTHONMALLOC"] = "malloc"
        # Everything is about six times slower.
        environment.setdefault("FRAMEJIT_EXAMPLES", "0.2")
    return environment


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", default=sys.executable, help="the CPython to test under")
    parser.add_argument("--sanitize", action="store_true", help="under ASan and UBSan")
    parser.add_argument("--build-dir", type=Path, help="where the build is kept")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    options = parser.parse_args()

    version = output(options.python, "-c", "import platform; print(platform.python_version())")
    directory = options.build_dir or ROOT / "build" / "native-tests" / version
    directory.mkdir(parents=True, exist_ok=True)
    try:
        interpreter = prepare(options.python, directory)
        built = build(interpreter, directory, options.sanitize)
    except subprocess.CalledProcessError as error:
        print(f"the native core was not built for CPython {version}: {error}", file=sys.stderr)
        return 3
    tests: list[str | Path] = [
        interpreter,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        ROOT / "tests" / "native",
    ]
    environment = environment_for(built, options.sanitize)
    return subprocess.run([*tests, *options.pytest], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
