import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from framefuzz.triage import files
from framefuzz.triage.finding import SCHEMA, FindingsNotWritten, UnusableFindings
from framefuzz.triage.store import CANDIDATES, FindingStore, load_findings

THERE = "print('DIFFERENT at call 1'); raise SystemExit(1)"
GONE = "print('same')"


def names(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lowest_pending(store, signature):
    pending = [one for one in store.load() if one.record.status == "pending"]
    return min(
        (one for one in pending if one.signature == signature), key=lambda one: one.record.index
    )


def confirm(store, signature, script):
    """Confirm with a script that takes no torch."""
    (lowest_pending(store, signature).folder / "repro.py").write_text(script)
    confirmation = store.confirm(signature)
    assert signature not in store.pending()
    while not confirmation.poll():
        pass
    return confirmation.settled


@pytest.fixture
def store(tmp_path):
    with FindingStore(tmp_path / "out", seed=0) as store:
        yield store


@pytest.fixture
def record(store, case, judgement):
    def record(index, signature="cells-1"):
        return store.record(case, "dynamo", judgement, signature, index)

    return record


def test_a_new_signature_is_on_disk_before_record_returns(store, record, case, judgement):
    assert record(7) == ("cells-1", True)
    folder = store.out / "pending" / "cells-1~7"
    assert names(folder) == ["case.py", "finding.json", "repro.py"]
    assert (folder / "case.py").read_text() == case.source
    finding = json.loads((folder / "finding.json").read_text())
    versions = finding.pop("versions")
    assert set(versions) == {"python", "platform", "torch", "framefuzz"}
    assert finding.pop("found").endswith("+00:00")
    assert finding == {
        "schema": SCHEMA,
        "signature": "cells-1",
        "status": "pending",
        "divergences": [judgement["divergences"][1], judgement["divergences"][0]],
        "subject": "dynamo",
        "backend": "eager",
        "case": "p7",
        "title": "A counter in a cell.",
        "index": 7,
        "seed": 0,
        "count": 1,
        "confirmed": "",
        "attempts": [],
    }
    assert names(store.out / "findings") == []


def test_one_signature_is_one_finding_with_a_count(store, record):
    assert [record(index)[1] for index in (1, 2, 2, 3)] == [True, False, False, False]
    assert record(2, "order-1") == ("order-1", True)
    assert confirm(store, "cells-1", THERE).record.status == "confirmed"
    assert confirm(store, "order-1", THERE).record.status == "confirmed"
    assert names(store.out / "findings") == ["cells-1", "order-1"]
    assert names(store.out / "pending") == []
    assert [(f.signature, f.record.count) for f in store.load()] == [("cells-1", 3), ("order-1", 1)]
    store_again = load_findings(store.out)
    assert [(f.signature, f.record.count) for f in store_again] == [("cells-1", 3), ("order-1", 1)]


def test_counts_stand_in_the_findings_after_a_clean_end(tmp_path, case, judgement):
    with FindingStore(tmp_path / "out", seed=0) as store:
        for index in range(4):
            store.record(case, "dynamo", judgement, "cells-1", index)
        confirm(store, "cells-1", THERE)
    path = tmp_path / "out" / "findings" / "cells-1" / "finding.json"
    assert json.loads(path.read_text())["count"] == 4


def test_what_does_not_repeat_is_kept_apart_with_its_rate(store, record):
    record(1)
    finding = confirm(store, "cells-1", GONE)
    assert finding.record.status == "unconfirmed"
    (attempt,) = finding.record.attempts
    assert (attempt.rate, attempt.said) == ("0 of 5", "same")
    assert names(store.out / "findings") == []
    assert names(store.out / "unconfirmed") == ["cells-1"]
    assert store.load() == [finding]


@pytest.mark.parametrize("order", [(3, 8, 5), (8, 5, 3), (5, 3, 8)])
def test_the_lowest_program_stands_for_a_signature_whatever_the_order(store, record, order):
    for index in order:
        record(index)
        while store.pending():
            confirm(store, "cells-1", THERE)
    (finding,) = store.load()
    assert (finding.record.index, finding.record.status) == (3, "confirmed")
    assert finding.record.count == 3
    assert names(store.out / "findings") == ["cells-1"]
    assert names(store.out / "pending") == names(store.out / "unconfirmed") == []


@pytest.mark.parametrize("order", [(3, 8), (8, 3)])
def test_a_lower_program_that_does_not_repeat_takes_no_place(store, record, order):
    for index in order:
        record(index)
        confirm(store, "cells-1", GONE if index == 3 else THERE)
    (finding,) = store.load()
    assert (finding.record.index, finding.record.status) == (8, "confirmed")
    assert [attempt.index for attempt in finding.record.attempts] == [3]
    assert names(store.out / "unconfirmed") == names(store.out / "pending") == []
    record(3)
    assert store.pending() == []


def test_a_signature_that_never_repeats_is_tried_a_few_times_only(store, record):
    for index in (9, 8, 7, 6, 20):
        record(index)
        if store.pending():
            confirm(store, "cells-1", GONE)
    (finding,) = store.load()
    assert (finding.record.index, finding.record.status) == (6, "unconfirmed")
    # 20 was not tried: CANDIDATES lower ones had been.
    assert [attempt.index for attempt in finding.record.attempts] == [6, 7, 8, 9]
    assert CANDIDATES == 3


def test_a_confirmation_that_is_stopped_leaves_the_finding_pending(store, record):
    record(1)
    (store.out / "pending" / "cells-1~1" / "repro.py").write_text("import time; time.sleep(60)")
    confirmation = store.confirm("cells-1")
    assert not confirmation.poll()
    confirmation.stop()
    assert store.pending() == ["cells-1"]
    assert confirm(store, "cells-1", THERE).record.status == "confirmed"


def test_a_later_run_continues(tmp_path, case, judgement):
    out = tmp_path / "out"
    with FindingStore(out, seed=0) as store:
        store.record(case, "dynamo", judgement, "cells-1", 4)
        store.record(case, "dynamo", judgement, "order-1", 5)
        confirm(store, "cells-1", THERE)
    with FindingStore(out, seed=0) as store:
        assert store.pending() == ["order-1"]
        assert store.record(case, "dynamo", judgement, "cells-1", 4) == ("cells-1", False)
        assert store.record(case, "dynamo", judgement, "cells-1", 6) == ("cells-1", False)
        assert [f.record.count for f in store.load()] == [2, 1]


def test_a_known_bug_costs_no_write_to_the_disk(store, record, monkeypatch):
    record(0)
    confirm(store, "cells-1", THERE)
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(fd) or fsync(fd))
    for index in range(1, 100):
        record(index)
    assert synced == []
    assert store.load()[0].record.count == 100


def test_what_no_script_can_be_made_of_is_kept_as_unconfirmed(store, case, judgement):
    assert store.in_scripts == {}
    store.record(case, "a subject of somebody else's", judgement, "cells-1", 1)
    confirmation = store.confirm("cells-1")
    while not confirmation.poll():
        pass
    record = confirmation.settled.record
    assert record.status == "unconfirmed"
    assert "no script could be made: ValueError: it is not known how" in record.attempts[0].said


# Folders that cannot be used


def unusable(out):
    with pytest.raises(UnusableFindings) as caught:
        FindingStore(out)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(out))
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_file_is_no_folder(tmp_path):
    out = tmp_path / "out"
    out.write_text("mine")
    assert "is a file" in unusable(out)
    assert out.read_text() == "mine"
    with pytest.raises(UnusableFindings, match="is a file"):
        load_findings(out)


@pytest.mark.parametrize(
    "text, said",
    [
        (f'{{"schema": {SCHEMA + 1}}}', f"has schema {SCHEMA + 1}, this framefuzz knows {SCHEMA}"),
        ("{", "finding.json:1: is no JSON"),
        ("[]", "is no finding"),
        (f'{{"schema": {SCHEMA}}}', "is no finding"),
    ],
)
def test_a_finding_that_cannot_be_read_is_refused_and_nothing_touched(tmp_path, text, said):
    out = tmp_path / "out"
    for folder in ("findings/a-1", "pending/.unfinished-b"):
        (out / folder).mkdir(parents=True)
        (out / folder / "finding.json").write_text(text)
    before = tree(out)
    assert said in unusable(out)
    with pytest.raises(UnusableFindings, match="finding"):
        load_findings(out)
    assert tree(out) == before
    assert names(out) == ["findings", "pending"]


def test_reading_what_holds_no_findings_says_so(tmp_path):
    with pytest.raises(UnusableFindings, match="does not exist"):
        load_findings(tmp_path / "none")
    with pytest.raises(UnusableFindings, match="holds no findings"):
        load_findings(tmp_path)


def test_a_folder_that_cannot_be_written(tmp_path):
    # Root may write anywhere but here.
    assert "cannot be written" in unusable(Path("/proc/framefuzz"))


# Kills, full disks and other runs

WRITER = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import SOURCE, judgement_of
from test_store import lowest_pending
from framefuzz.case import Case
from framefuzz.subjects.protocol import InScript
from framefuzz.trace import Divergence
from framefuzz.triage.confirm import Rate
from framefuzz.triage.store import FindingStore

def work(out, report):
    case = Case("p", SOURCE, "p.py")
    with FindingStore(out, seed=0) as store:
        store.in_scripts = {"dynamo": InScript("torch.compile", "torch._dynamo.reset", "")}
        report("opened")
        for index, name in ((5, "a"), (6, "b"), (2, "a"), (7, "c"), (1, "b"), (8, "a")):
            wrong = Divergence("behaviour", 0, "out", "1", "2", "value", signature=name)
            store.record(case, "dynamo", judgement_of(wrong), name, index)
            report(f"{name} {index}")
            if index in (6, 1):
                for signature in store.pending():
                    finding = lowest_pending(store, signature)
                    store.finish(finding, Rate(1, 1) if signature != "c" else Rate(0, 5))
"""

KILLED = (
    WRITER
    + """
# The kill falls on one operation on files after the other: n counts them.
n = int(sys.argv[3])
while True:
    out = Path(sys.argv[1]) / str(n)
    pid = os.fork()
    if pid == 0:
        said = open(str(out) + ".said", "w")
        left = n
        def count(event, args):
            global left
            if event in ("open", "os.rename", "os.mkdir", "os.rmdir", "os.remove"):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        def report(text):
            print(text, file=said, flush=True)
        sys.addaudithook(count)
        work(out, report)
        os._exit(0)
    if os.WIFEXITED(os.waitpid(pid, 0)[1]):
        break
    n += int(sys.argv[4])
print(n)
"""
)


# Between two kills; a number prime to what recurs, so that all sorts of operations are hit.
STEP = 7


def run_writer(program, *arguments):
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=100,
    )


def assert_whole(out, reported):
    """All that was reported is there, whole, in one place each, and the folder can be used."""
    with FindingStore(out, seed=0) as store:
        findings = store.load()
        for finding in findings:
            assert names(finding.folder) == ["case.py", "finding.json", "repro.py"]
            assert all(text for text in tree(finding.folder).values())
        assert {name for name, _ in reported} <= {finding.signature for finding in findings}
        settled = [f.signature for f in findings if f.record.status != "pending"]
        assert len(settled) == len(set(settled))
        for signature in {name for name, _ in reported}:
            lowest = min(index for name, index in reported if name == signature)
            assert min(f.record.index for f in findings if f.signature == signature) <= lowest
    for parent in ("findings", "unconfirmed", "pending"):
        assert not [name for name in names(out / parent) if name.startswith(".")]
    return findings


def test_a_kill_at_any_point_loses_nothing_and_leaves_no_half(tmp_path):
    done = run_writer(KILLED, tmp_path, Path(__file__).parent, 0, STEP)
    assert done.returncode == 0, done.stderr
    last = int(done.stdout)
    # Enough operations that the kills fall into every method.
    assert last > 100
    for n in range(0, last + 1, STEP):
        said = (tmp_path / f"{n}.said").read_text().splitlines()
        reported = [(name, int(index)) for name, index in (x.split() for x in said if " " in x)]
        if said:
            findings = assert_whole(tmp_path / str(n), reported)
    # The last one ran to its end.
    assert {(f.signature, f.record.status, f.record.index, f.record.count) for f in findings} == {
        ("a", "confirmed", 2, 3),
        ("b", "confirmed", 1, 2),
        ("c", "unconfirmed", 7, 1),
    }


def test_two_campaigns_cannot_write_to_one_folder(tmp_path):
    out = tmp_path / "out"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\nfrom framefuzz.triage.store import FindingStore\n"
            f"with FindingStore({str(out)!r}): print('open', flush=True); sys.stdin.read()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout.readline() == b"open\n"
        assert "another campaign writes here" in unusable(out)
        assert load_findings(out) == []
    finally:
        holder.kill()
        holder.communicate()
    FindingStore(out).close()


def test_leftovers_of_a_killed_run_are_cleaned_up(tmp_path, case, judgement):
    out = tmp_path / "out"
    with FindingStore(out, seed=0) as store:
        store.record(case, "dynamo", judgement, "cells-1", 1)
        confirm(store, "cells-1", THERE)
        store.record(case, "dynamo", judgement, "order-1", 2)
    files.write_folder(out / "pending" / ".unfinished-x~1", {"case.py": ""})
    (out / "findings" / "cells-1").rename(out / "findings" / ".replaced-cells-1")
    (out / "pending" / "order-1~2" / ".unfinished-finding.json").write_text("{")
    # Killed after a confirmed finding was filed, before what it makes needless was removed.
    shutil.copytree(out / "findings" / ".replaced-cells-1", out / "unconfirmed" / "cells-1")
    assert_whole(out, [("cells-1", 1), ("order-1", 2)])
    assert names(out / "findings") == ["cells-1"]
    assert names(out / "unconfirmed") == []


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: mounting a small tmpfs takes root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"NOT TESTED: cannot mount a small tmpfs ({mounted.stderr.decode().strip()})")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_loses_nothing_that_was_recorded(small_disk, case, judgement):
    out = small_disk / "out"
    padding = small_disk / "padding"
    padding.write_bytes(bytes(65536))
    store = FindingStore(out, seed=0)
    reported = []
    with pytest.raises(FindingsNotWritten) as caught:
        for index in range(1000):
            for divergence in judgement["divergences"]:
                divergence["signature"] = f"s-{index}"
            store.record(case, "dynamo", judgement, f"s-{index}", index)
            reported.append((f"s-{index}", index))
    assert caught.value.exit_code == 3
    assert f"s-{index} of program {index} could not be written" in str(caught.value)
    assert caught.value.__cause__.errno == errno.ENOSPC
    assert len(reported) > 5
    assert {f.signature for f in load_findings(out)} == {name for name, _ in reported}

    # With room again the very same call succeeds.
    padding.unlink()
    assert store.record(case, "dynamo", judgement, f"s-{index}", index) == (f"s-{index}", True)
    store.close()
    assert_whole(out, [*reported, (f"s-{index}", index)])
