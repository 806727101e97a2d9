"""The fork server against jobs that misbehave: who is blamed, for what, and what goes on."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import DEADLY, HARMLESS, finds, only_in

from framefuzz.execute.client import Server
from framefuzz.execute.limits import Limits

LIMITS = Limits(deadline=0.8, alone_factor=1.25, margin=3.0, memory=0.25, file_size=1)

Event = dict[str, Any]


def until(server: Server, last: str, seconds: float = 60) -> list[Event]:
    """The server's events up to the first of a kind, or up to its end."""
    events: list[Event] = []
    give_up = time.monotonic() + seconds
    while not server.ended:
        assert time.monotonic() < give_up, events
        select.select([server.events_fd], [], [], 0.1)
        events += server.receive()
        if events and events[-1]["kind"] == last:
            break
    return events


@pytest.fixture(scope="module")
def server(jobs_importable: None) -> Iterator[Server]:
    server = Server("toy_job:prepare", None, LIMITS)
    (ready,) = until(server, "ready")
    assert ready["threads"] == 1
    yield server
    server.end()


def run(server: Server, *sources: str) -> list[Event]:
    """What comes of running the sources as one batch, without the announcements."""
    server.send([{"id": number, "source": source} for number, source in enumerate(sources)])
    events = until(server, "done")
    return [e for e in events if e["kind"] in ("result", "error", "death")]


FINDS = finds("known")


def found(events: list[Event]) -> list[int]:
    """Which items were found to diverge."""
    results = ((e["id"], e["result"]["judgements"][0]) for e in events if e["kind"] == "result")
    return [number for number, judgement in results if judgement["divergences"]]


def test_a_quiet_batch_runs_in_one_child(server: Server) -> None:
    server.send([{"id": number, "source": FINDS} for number in range(20)])
    events = until(server, "done")
    assert [e["id"] for e in events if e["kind"] == "result"] == list(range(20))
    assert sum(e["kind"] == "child" for e in events) == 1
    assert [e["kind"] for e in events[1:5]] == ["start", "result"] * 2


def test_the_phases_of_an_item_alone_are_told(server: Server) -> None:
    server.send([{"id": 0, "source": FINDS}])
    assert [(e["kind"], e.get("phase")) for e in until(server, "done")[1:5]] == [
        ("start", None),
        ("phase", "eager"),
        ("phase", "subject"),
        ("result", None),
    ]


@pytest.mark.parametrize("name", DEADLY)
def test_a_death_is_blamed_confirmed_and_the_rest_goes_on(server: Server, name: str) -> None:
    source, cause = DEADLY[name]
    events = run(server, FINDS, only_in("subject", source), FINDS)
    (death,) = (e for e in events if e["kind"] == "death")
    assert death["id"] == 1
    assert death["phase"] == "subject"
    assert death["cause"].startswith(cause)
    assert death["repeated"] is True
    assert found(events) == [0, 2]


@pytest.mark.parametrize("name", HARMLESS)
def test_a_case_that_survives_disturbs_no_other(server: Server, name: str, tmp_path: Path) -> None:
    probe = (
        "import os, threading, signal\n"
        "assert os.getcwd() != '/'\n"
        "assert threading.active_count() == 1\n"
        "assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL\n"
        "assert os.environ['PATH']\n"
        "os.close(os.open('/dev/null', 0))\n"
        f"{FINDS}"
    )
    events = run(server, probe, HARMLESS[name], probe)
    assert [(e["kind"], e["id"]) for e in events] == [("result", n) for n in range(3)]
    assert found(events) == [0, 2]


def test_nothing_that_a_case_starts_outlives_its_child(server: Server, tmp_path: Path) -> None:
    note = tmp_path / "pids"
    daemon = (
        "import os, time\n"
        "if phase == 'eager' and os.fork() == 0:\n"
        " os.setsid()\n"
        " if os.fork() == 0:\n"
        f"  open({str(note)!r}, 'a').write(f'{{os.getpid()}} ')\n"
        "  time.sleep(1000)\n"
        " time.sleep(1000)\n"
        "import time\n"
        f"while not __import__('os').path.exists({str(note)!r}): time.sleep(0.01)\n"
        "time.sleep(0.05)"
    )
    run(server, daemon, FINDS)
    (pid,) = map(int, note.read_text().split())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_interrupt_that_escapes_is_an_error_of_the_job(server: Server) -> None:
    events = run(server, FINDS, "raise KeyboardInterrupt", FINDS)
    assert [(e["kind"], e["id"]) for e in events] == [("result", 0), ("error", 1), ("result", 2)]
    assert "KeyboardInterrupt" in events[1]["text"]


def test_a_death_that_does_not_repeat_is_said_with_the_result(
    server: Server, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    once = (
        f"import os\nif not os.path.exists({str(flag)!r}):\n"
        f" open({str(flag)!r}, 'w').close(); os.abort()\n{FINDS}"
    )
    events = run(server, FINDS, once, FINDS)
    assert [(e["kind"], e["id"]) for e in events] == [
        ("result", 0),
        ("result", 1),
        ("death", 1),
        ("result", 2),
    ]
    assert events[2]["repeated"] is False
    assert events[2]["cause"] == "signal 6"
    assert found(events) == [0, 1, 2]


def test_the_last_words_of_a_crash_are_kept(server: Server) -> None:
    crash = "import os; os.write(2, b'terminate called\\n'); os.abort()"
    (death,) = run(server, crash)
    assert death["said"].startswith("terminate called\nFatal Python error: Aborted")
    assert len(death["said"]) <= 4096


def test_a_result_that_is_too_long_is_an_error(server: Server) -> None:
    events = run(server, "found.append('x' * (5 << 20))", FINDS)
    assert [(e["kind"], e["id"]) for e in events] == [("error", 0), ("result", 1)]


def test_a_killed_server_takes_its_child_along(jobs_importable: None) -> None:
    server = Server("toy_job:prepare", None, Limits())
    until(server, "ready")
    server.send([{"id": 0, "source": "import time; time.sleep(1000)"}])
    child = until(server, "child")[-1]["pid"]
    until(server, "phase")
    os.kill(server.pid, signal.SIGKILL)
    until(server, "nothing")
    assert server.end() == "signal 9"
    _gone(child)


def test_a_case_can_kill_its_server(jobs_importable: None) -> None:
    server = Server("toy_job:prepare", None, Limits())
    until(server, "ready")
    server.send([{"id": 5, "source": "import os; os.kill(os.getppid(), 9)"}])
    # Its announcement may or may not have been relayed before.
    assert not [e for e in until(server, "nothing") if e["kind"] in ("result", "death", "done")]
    assert server.ended
    assert server.end() == "signal 9"


def test_a_server_ends_with_its_requests(jobs_importable: None) -> None:
    server = Server("toy_job:prepare", None, Limits())
    until(server, "ready")
    server.send([{"id": 0, "source": "import time; time.sleep(1000)"}])
    child = until(server, "child")[-1]["pid"]
    os.close(server.requests_fd)
    until(server, "nothing", seconds=10)
    assert server.ended
    _gone(child)
    with contextlib.suppress(OSError):
        server.end()


def test_a_stopped_server_is_overdue(jobs_importable: None) -> None:
    limits = Limits(deadline=0.1, margin=0.1)
    server = Server("toy_job:prepare", None, limits)
    until(server, "ready")
    assert server.silent_until() is None
    os.kill(server.pid, signal.SIGSTOP)
    server.send([{"id": 0, "source": "", "padding": "x" * (1 << 20)}])
    assert server.unsent
    overdue = server.silent_until()
    assert overdue is not None
    assert overdue - time.monotonic() == pytest.approx(limits.longest_silence, abs=0.1)
    assert server.end() == "stopped answering"


def test_a_job_that_cannot_be_prepared_says_why(jobs_importable: None) -> None:
    server = Server("toy_job:prepare_fails", None, Limits())
    (event,) = until(server, "nothing")
    assert event["kind"] == "failed"
    assert "RuntimeError: no such thing" in event["text"]
    assert server.end() == "exit code 1"


def test_a_server_that_dies_while_it_starts_says_how(jobs_importable: None) -> None:
    server = Server("toy_job:exit_fails", None, Limits())
    assert until(server, "nothing") == []
    assert server.end() == "exit code 9"


def _gone(pid: int) -> None:
    _eventually(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))


def _is_zombie(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def _eventually(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)
