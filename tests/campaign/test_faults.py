"""Faults thrown at a running campaign: nothing that was found is lost, and it goes on or says why.

In each, programs that are known to diverge stand before and after the fault.  Programs are those
of tests/toy_job.py, which needs no torch; test_real_faults.py does a few with the real judge.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import toy_campaign
from faults import DEADLY, HARMLESS, finds, only_in
from toy_campaign import LIMITS, SCRIPT, Quiet, campaign

from framefuzz.campaign.loop import Ending
from framefuzz.campaign.tally import Snapshot
from framefuzz.triage.finding import by_state, read_findings
from framefuzz.triage.store import FindingStore

HERE = Path(toy_campaign.__file__).parent


@pytest.fixture(autouse=True)
def _quick_scripts(monkeypatch: pytest.MonkeyPatch, jobs_importable: None) -> None:
    monkeypatch.setattr("framefuzz.triage.store.render", lambda *given: SCRIPT)


def run(out: Path, sources: dict[int, str], **settings: Any) -> Ending:
    return campaign(sources, out=out, **{"programs": 25, **settings}).run()


def around(fault: str) -> dict[int, str]:
    """A fault among programs that diverge: in its batch before and after it, and in the next."""
    return {3: finds("before"), 7: fault, 8: finds("after"), 22: finds("next")}


def confirmed(out: Path) -> set[str]:
    """What stands as confirmed in a folder, all of it whole."""
    findings = read_findings(out)
    for finding in findings:
        assert (finding.folder / "case.py").read_text()
        assert (finding.folder / "repro.py").read_text() == SCRIPT
    return {one.signature for one in findings if one.record.status == "confirmed"}


@pytest.mark.parametrize("name", DEADLY)
def test_a_program_that_dies_under_the_subject_is_a_finding(name: str, tmp_path: Path) -> None:
    source, cause = DEADLY[name]
    ending = run(tmp_path, around(only_in("subject", source)))
    assert ending.failed == ""
    assert ending.snapshot.statuses == {"same": 21, "diverges": 3, "died": 1}
    assert ending.snapshot.deaths == 1
    (death,) = confirmed(tmp_path) - {"before", "after", "next"}
    assert death.startswith("survival-")
    (record,) = (one.record for one in read_findings(tmp_path) if one.signature == death)
    assert record.lead.subject.startswith(cause)
    assert record.case == "p7"


@pytest.mark.parametrize("name", DEADLY)
def test_a_program_that_dies_under_eager_is_no_case(name: str, tmp_path: Path) -> None:
    ending = run(tmp_path, around(only_in("eager", DEADLY[name][0])))
    assert ending.failed == ""
    assert ending.snapshot.statuses == {"same": 21, "diverges": 3, "invalid": 1}
    assert ending.snapshot.deaths == 1
    assert confirmed(tmp_path) == {"before", "after", "next"}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_program_that_misbehaves_disturbs_no_other(name: str, tmp_path: Path) -> None:
    ending = run(tmp_path, around(HARMLESS[name]))
    assert ending.failed == ""
    assert ending.snapshot.statuses == {"same": 22, "diverges": 3}
    assert confirmed(tmp_path) == {"before", "after", "next"}


def test_an_error_of_the_job_is_kept_and_reported(tmp_path: Path) -> None:
    listener = Quiet()
    sources = around("raise KeyboardInterrupt")
    ending = campaign(sources, listener, out=tmp_path, programs=25).run()
    assert ending.failed == ""
    assert ending.snapshot.errors == 1
    assert ending.snapshot.statuses == {"same": 21, "diverges": 3, "error": 1}
    assert "KeyboardInterrupt" in listener.errors[7]
    kept = (tmp_path / "errors" / "p7.txt").read_text()
    assert "KeyboardInterrupt" in kept and "raise KeyboardInterrupt" in kept
    assert confirmed(tmp_path) == {"before", "after", "next"}


def test_a_finding_that_the_store_chokes_on_is_kept_as_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = FindingStore.record

    def choke(store: FindingStore, *arguments: Any) -> tuple[str, bool]:
        if "odd" in arguments:
            raise IndexError("no such field")
        return record(store, *arguments)

    monkeypatch.setattr(FindingStore, "record", choke)
    listener = Quiet()
    ending = campaign(around(finds("odd")), listener, out=tmp_path, programs=25).run()
    assert "IndexError: no such field" in listener.errors[7]
    assert ending.failed == ""
    assert ending.snapshot.errors == 1
    assert "odd" in (tmp_path / "errors" / "p7.txt").read_text()
    assert confirmed(tmp_path) == {"before", "after", "next"}


@pytest.mark.parametrize(
    "fault",
    ["os.kill(os.getppid(), signal.SIGKILL)", "os.kill(os.getppid(), signal.SIGSTOP)"],
    ids=["kills", "stops"],
)
def test_a_program_that_ends_its_server_each_time_is_to_blame(fault: str, tmp_path: Path) -> None:
    # It waits a little, so that its announcement is relayed before the server dies.
    source = f"import os, signal, time; time.sleep(0.2)\n{fault}"
    limits = type(LIMITS)(**{**LIMITS.__dict__, "margin": 0.3})
    ending = run(tmp_path, around(only_in("subject", source)), limits=limits)
    assert ending.failed == ""
    assert ending.snapshot.statuses == {"same": 21, "diverges": 3, "died": 1}
    (death,) = confirmed(tmp_path) - {"before", "after", "next"}
    assert death.startswith("survival-")


def test_a_program_that_ends_its_server_once_has_a_result(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    source = (
        f"import os\nif not os.path.exists({str(flag)!r}):\n"
        f" open({str(flag)!r}, 'w').close(); os.kill(os.getppid(), 9)\n"
        f"{finds('itself')}"
    )
    ending = run(tmp_path / "out", around(source))
    assert ending.failed == ""
    assert confirmed(tmp_path / "out") == {"before", "after", "next", "itself"}


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_ended_from_outside_is_replaced(
    sign: int, workers: int, tmp_path: Path
) -> None:
    limits = type(LIMITS)(**{**LIMITS.__dict__, "margin": 0.3})
    sources = dict.fromkeys(range(60), "import time; time.sleep(0.02)")
    sources |= {3: finds("before"), 30: finds("after"), 59: finds("next")}

    class Meddler(Quiet):
        """Ends the first server once programs run."""

        done = False

        def progress(self, snapshot: Any) -> None:
            if snapshot.programs and not self.done:
                self.done = True
                server = the_campaign._slots[0].worker.server
                assert server is not None
                os.kill(server.pid, sign)

    listener = Meddler()
    the_campaign = campaign(
        sources, listener, out=tmp_path, programs=60, workers=workers, limits=limits
    )
    ending = the_campaign.run()
    assert listener.done
    assert ending.failed == ""
    assert ending.snapshot.programs == 60
    assert confirmed(tmp_path) == {"before", "after", "next"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("prepare", "RuntimeError: no such thing"),
        ("exit", "5 servers in a row ended (exit code 9)"),
    ],
)
def test_a_server_that_cannot_start_ends_the_campaign_with_a_reason(
    settings: str, said: str, tmp_path: Path
) -> None:
    ending = run(tmp_path, around("pass"), prepare=f"toy_job:{settings}_fails")
    assert said in ending.failed
    assert ending.snapshot.programs == 0
    assert "\n" not in ending.failed


def start(out: Path, sources: dict[int, str], **settings: Any) -> subprocess.Popen[str]:
    """A campaign in a process of its own."""
    asked = {"sources": sources, "settings": {"out": str(out), **settings}}
    return subprocess.Popen(
        [sys.executable, str(HERE / "toy_campaign.py"), json.dumps(asked)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )


def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def found(out: Path, signature: str) -> bool:
    """Whether a finding is on disk, in any state."""
    return bool(list(out.glob(f"*/{signature}*/finding.json")))


SLOW = dict.fromkeys(range(200), "import time; time.sleep(0.01)")
LONG = {**SLOW, 3: finds("before"), 75: finds("middle"), 199: finds("after")}


def test_a_killed_campaign_is_continued(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, LONG, programs=200, workers=2)
    until(lambda: found(out, "middle"))
    descendants = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    # What it had started ends with it: none may go on and write.
    assert psutil.wait_procs(descendants, timeout=10)[1] == []
    assert found(out, "before") and found(out, "middle")
    state = json.loads((out / "campaign.json").read_text())
    assert 0 < state["finished"] < 200

    left = 200 - state["finished"] - len(state["finished_beyond"])
    ending = run(out, LONG, programs=left, workers=2)
    assert ending.failed == ""
    assert ending.snapshot.programs == left
    assert confirmed(out) == {"before", "middle", "after"}
    counts = {one.signature: one.record.count for one in read_findings(out)}
    assert counts == {"before": 1, "middle": 1, "after": 1}
    assert sum(json.loads((out / "campaign.json").read_text())["counts"].values()) == 200


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_campaign_asked_to_stop_stops_in_order(sign: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, LONG, programs=200, workers=2)
    until(lambda: found(out, "before"))
    asked_at = time.time()
    process.send_signal(sign)
    output, errors = process.communicate(timeout=20)
    ending = json.loads(output)
    assert errors == ""
    assert process.returncode == 0
    assert ending["stopped"] is True
    assert ending["failed"] == ""
    assert ending["ended"] - asked_at < 2.0
    state = json.loads((out / "campaign.json").read_text())
    done = state["finished"] + len(state["finished_beyond"])
    assert done == ending["programs"] == sum(state["counts"].values())
    assert 3 < done < 200

    again = run(out, LONG, programs=200 - done)
    assert again.failed == ""
    assert confirmed(out) == {"before", "middle", "after"}


def test_time_is_kept_and_a_hanging_batch_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framefuzz.campaign.loop.GRACE_FOR_BATCHES", 0.3)
    limits = type(LIMITS)(**{**LIMITS.__dict__, "deadline": 60.0})
    sources = {3: finds("before"), 7: "import time; time.sleep(1000)", 8: finds("after")}
    began = time.monotonic()
    ending = run(tmp_path, sources, programs=None, seconds=1.0, limits=limits)
    assert time.monotonic() - began < 6.0
    assert ending.failed == ""
    assert not ending.stopped
    assert ending.snapshot.programs == 7
    assert confirmed(tmp_path) == {"before"}
    again = run(tmp_path, {**sources, 7: "pass"}, programs=18)
    assert again.snapshot.programs == 18
    assert confirmed(tmp_path) == {"before", "after"}


def test_what_is_to_be_confirmed_is_one_number_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framefuzz.campaign.loop.GRACE_FOR_CONFIRMATIONS", 1.0)
    endless = "import time; time.sleep(1000)"
    monkeypatch.setattr("framefuzz.triage.store.render", lambda *given: endless)
    # Two signatures; of one of them three programs wait, and one is being confirmed at the end.
    sources = {1: finds("a"), 2: finds("a"), 3: finds("a"), 4: finds("b")}
    shown: list[Snapshot] = []
    listener = Quiet()
    monkeypatch.setattr(listener, "progress", shown.append)
    ending = campaign(sources, listener, out=tmp_path, programs=25, seconds=1.5, workers=2).run()
    assert ending.snapshot.programs == 25
    assert len(list((tmp_path / "pending").iterdir())) == 4
    assert by_state(read_findings(tmp_path))["pending"] == 2
    assert (ending.snapshot.pending, shown[-1].pending) == (2, 2)
    assert shown[0].starting
    assert not ending.snapshot.starting


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("A FULL DISK IS NOT TESTED: mounting a tmpfs takes root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_ends_the_campaign_and_loses_nothing(small_disk: Path) -> None:
    out = small_disk / "out"
    sources = {index: finds(f"f{index}") + "\n#" + "x" * 3000 for index in range(40)}
    ending = run(out, sources, programs=40)
    assert "No space left on device" in ending.failed
    assert "\n" not in ending.failed
    # Which of them is whole on disk, and which were finished, agree.
    on_disk = {one.signature for one in read_findings(out)}
    assert 3 < len(on_disk) < 40
    state = json.loads((out / "campaign.json").read_text())
    assert {f"f{index}" for index in range(state["finished"])} <= on_disk

    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    again = run(out, sources, programs=40 - state["finished"] - len(state["finished_beyond"]))
    assert again.failed == ""
    assert confirmed(out) == {f"f{index}" for index in range(40)}


def test_a_disk_that_is_full_from_the_start_is_said(small_disk: Path) -> None:
    ballast = os.open(small_disk / "ballast", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space left"):
        while True:
            os.write(ballast, b"x" * 4096)
    os.close(ballast)
    process = subprocess.run(
        [sys.executable, "-m", "framefuzz", "run", "--programs", "1", "--out", small_disk / "out"],
        capture_output=True,
        text=True,
    )
    assert process.returncode in (2, 3)
    assert "No space left on device" in process.stderr
    assert "Traceback" not in process.stderr
