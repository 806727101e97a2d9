import time

import psutil
import pytest

from framefuzz.triage import confirm
from framefuzz.triage.confirm import RUNS, Confirmation, Rate, ScriptRun, Shows

SHOWS = "print('both sides'); print('DIFFERENT'); raise SystemExit(1)"


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "repro.py"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    "text, shows, reason",
    [
        (SHOWS, Shows.THERE, ""),
        ("print('same')", Shows.GONE, ""),
        ("print('DIFFERENT'); raise ValueError", Shows.OTHER, "exited with 1"),
        ("raise SystemExit(1)", Shows.OTHER, "exited with 1"),
        ("raise SystemExit(2)", Shows.OTHER, "exited with 2"),
        ("def", Shows.OTHER, "exited with 1"),
        ("import os; os.abort()", Shows.OTHER, "was killed by SIGABRT"),
        ("x = bytearray(1 << 40)", Shows.OTHER, "exited with 1"),
    ],
)
def test_what_a_script_shows(script, text, shows, reason):
    outcome = ScriptRun(script(text)).wait()
    assert (outcome.shows, outcome.reason) == (shows, reason)


def test_runs_in_a_known_environment(script, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    text = "import os; print(*(os.environ[n] for n in ('OMP_NUM_THREADS', 'PYTHONHASHSEED')))"
    assert ScriptRun(script(text)).wait().said == "1 0\n"


def test_keeps_the_end_of_what_was_said(script):
    said = ScriptRun(script("print('x' * 100_000); print('end')")).wait().said
    assert len(said) == 4000
    assert said.endswith("x\nend\n")


def test_does_not_wait(script):
    started = time.monotonic()
    run = ScriptRun(script("import time; time.sleep(30)"))
    assert run.poll() is None
    run.stop()
    assert time.monotonic() - started < 10
    assert run.poll().reason == "was stopped"


def test_a_deadline_ends_the_script_and_what_it_started(script):
    text = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""
    outcome = ScriptRun(script(text), deadline=2.0).wait()
    assert outcome.reason == "did not end within 2 seconds"
    child = int(outcome.said)
    deadline = time.monotonic() + 5
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_repeats_at_once_is_run_once(script):
    assert poll(Confirmation(script(SHOWS))) == Rate(1, 1)


def test_what_does_not_repeat_is_run_some_times(script, tmp_path):
    flaky = f"""
import os
with open("runs", "a") as runs: runs.write("x")
if os.stat("runs").st_size == 3:
    {SHOWS}
print("same")
"""
    assert poll(Confirmation(script(flaky))) == Rate(1, RUNS, "same")
    assert (tmp_path / "runs").stat().st_size == RUNS


def test_a_script_of_ours_that_fails_is_no_bug(script):
    rate = poll(Confirmation(script("import no_such_module")))
    assert (rate.repeated, rate.runs) == (0, RUNS)
    assert rate.said.startswith("exited with 1\n")
    assert "No module named 'no_such_module'" in rate.said


def test_a_result_stays(script):
    confirmation = Confirmation(script(SHOWS))
    assert poll(confirmation) is confirmation.poll()


def test_no_process_to_be_had_is_an_error(script, monkeypatch):
    monkeypatch.setattr(confirm.sys, "executable", "/nowhere/python")
    with pytest.raises(OSError):
        ScriptRun(script(""))


def poll(confirmation):
    while (rate := confirmation.poll()) is None:
        time.sleep(0.01)
    return rate
