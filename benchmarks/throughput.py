"""Programs a second: a campaign with one worker against a plain loop and a process a program.

The same generated programs in one run, one process busy at a time:

- plain loop: one process judges them one after the other, torch as it is;
- process a program: a fresh interpreter for each of a few;
- campaign: one worker, without its start and without confirmations, which the others do not do.

Loop and campaign take turns, some programs at a time: what else the machine does changes
meanwhile.  Both start with the same warm-up, which is not counted.

Rates are of wall time; on a machine that does other things the CPU seconds a program tell more.
The framework's own share of the campaign's CPU is all but what the programs take under eager and
under the subject, compiling, their imports and calls() included: generating, forking, observing,
judging, recording.

    python benchmarks/throughput.py [--programs 256] [--rounds 2] [--processes 5] [--seed 0]
                                    [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framefuzz.campaign import job as campaign_job
from framefuzz.campaign.loop import Campaign
from framefuzz.campaign.settings import Settings
from framefuzz.campaign.tally import PHASES
from framefuzz.case import Program
from framefuzz.execute.child import Announce, Item, Job
from framefuzz.execute.client import ENVIRONMENT, Server
from framefuzz.generate import case_for

HERE = Path(__file__).parent


@dataclass
class Rate:
    """Programs, wall and CPU seconds of one way to run them."""

    programs: int = 0
    wall: float = 0.0
    cpu: float = 0.0

    def add(self, programs: int, wall: float, cpu: float) -> None:
        """Count further programs."""
        self.programs += programs
        self.wall += wall
        self.cpu += cpu

    @property
    def per_second(self) -> float:
        """Programs a second of wall time."""
        return self.programs / self.wall

    @property
    def cpu_each(self) -> float:
        """CPU seconds a program."""
        return self.cpu / self.programs

    def to_json(self) -> dict[str, float]:
        """All of it."""
        figures = {"programs": self.programs, "wall": self.wall, "cpu": self.cpu}
        return {**figures, "per_second": self.per_second, "cpu_each": self.cpu_each}


class _Running:
    """CPU seconds that programs take, compiling included."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        began = time.process_time()
        try:
            yield
        finally:
            self.seconds += time.process_time() - began

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed."""

        def timed(*arguments: Any) -> Any:
            with self.timed():
                return function(*arguments)

        return timed


class _TimedSession:
    """A session whose program is timed."""

    def __init__(self, session: Any, running: _Running) -> None:
        self._session = session
        self._running = running

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    @property
    def fn(self) -> Callable[..., Any]:
        return self._running.around(self._session.fn)


class _TimedSubject:
    """A subject whose programs are timed; dropping what was compiled counts as compiling."""

    def __init__(self, subject: Any, running: _Running) -> None:
        self._subject = subject
        self._running = running

    def __getattr__(self, name: str) -> Any:
        return getattr(self._subject, name)

    @contextlib.contextmanager
    def open(self, program: Program) -> Iterator[_TimedSession]:
        opened = self._subject.open(program)
        with self._running.timed():
            session = opened.__enter__()
        try:
            yield _TimedSession(session, self._running)
        finally:
            with self._running.timed():
                opened.__exit__(*sys.exc_info())


def prepare(settings: dict[str, Any]) -> tuple[Job, dict[str, Any]]:
    """The campaign's job, with ``running`` among the seconds of each judgement."""
    import framefuzz.case
    import framefuzz.oracles.judge
    import framefuzz.subjects.registry
    import framefuzz.subjects.run

    running = _Running()
    for module, name in (
        (framefuzz.case, "_run_own_code"),
        (framefuzz.subjects.run, "_next_arguments"),
    ):
        setattr(module, name, running.around(getattr(module, name)))
    load, eager = framefuzz.subjects.registry.load, framefuzz.oracles.judge.EagerSubject
    framefuzz.subjects.registry.load = lambda *names: _TimedSubject(load(*names), running)
    framefuzz.oracles.judge.EagerSubject = lambda: _TimedSubject(eager(), running)
    job, about = campaign_job.prepare(settings)

    def timed(item: Item, announce: Announce) -> dict[str, Any]:
        running.seconds = 0.0
        result = job(item, announce)
        result["judgements"][0]["seconds"]["running"] = running.seconds
        return result

    return timed, about


class _Unconfirmed(Campaign):
    """A campaign that leaves all findings pending, and adds up what programs took."""

    def __init__(self, settings: Settings, listener: Any) -> None:
        super().__init__(settings, listener)
        self.servers: list[Server] = []
        self.running = 0.0

    def _start_server(self, warm: bool) -> Server:
        self.servers.append(super()._start_server(warm))
        return self.servers[-1]

    def _to_confirm(self, slot: Any) -> str | None:
        return None

    def _finish(self, index: int, status: str, seconds: Sequence[dict[str, float]] = ()) -> None:
        self.running += sum(took.pop("running", 0.0) for took in seconds)
        super()._finish(index, status, seconds)


class _Silent:
    """A listener that is told nothing."""

    def confirmed(self, finding: Any) -> None: ...

    def error(self, index: int, text: str) -> None:
        print(f"program {index}: {text}", file=sys.stderr)

    def progress(self, snapshot: Any) -> None: ...


def run_campaign(out: Path, seed: int, programs: int, rate: Rate) -> tuple[float, dict[str, int]]:
    """Run the next programs of the folder's campaign, without its start; add them to the rate.

    Returns CPU seconds of running programs, and counts of outcomes.
    """
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    before = _cpu()
    settings = Settings(out, seed, programs=programs, workers=1, prepare="throughput:prepare")
    campaign = _Unconfirmed(settings, _Silent())
    ending = campaign.run()
    if ending.failed:
        raise SystemExit(ending.failed)
    shares, seconds = ending.snapshot.shares, ending.snapshot.seconds
    busy = sum(shares[name] for name in (*PHASES, "other"))
    start = sum(server.start_cpu for server in campaign.servers)
    rate.add(programs, busy * seconds, _cpu() - before - start)
    return campaign.running, ending.snapshot.statuses


def _cpu() -> float:
    """CPU seconds of this process and of all that it has waited for."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _python(*arguments: str) -> str:
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(HERE)}
    ended = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    )
    return ended.stdout


def plain_loop(seed: int, programs: int, index: int = 0, warm: bool = True) -> dict[str, Any]:
    """Judge programs one after the other in this process; runs in a process of its own."""
    job, _ = campaign_job.prepare({**Settings(Path(), seed).job(warm=warm), "bulk": False})
    # Torch as it is: with what it says of the programs.
    logging.disable(logging.NOTSET)
    wall, cpu = time.perf_counter(), time.process_time()
    statuses: dict[str, int] = {}
    for number in range(index, index + programs):
        case = case_for(seed, number)
        fields = {"name": case.name, "source": case.source, "filename": case.filename}
        (judgement,) = job({"id": number, "case": fields}, lambda phase: None)["judgements"]
        status = judgement["status"]
        statuses[status] = statuses.get(status, 0) + 1
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "statuses": statuses,
    }


def measure(seed: int, programs: int, rounds: int, processes: int) -> dict[str, Any]:
    """All figures, as one object."""
    here = str(HERE / "throughput.py")
    loop, campaign, single = Rate(), Rate(), Rate()
    statuses: dict[str, dict[str, int]] = {"loop": {}, "campaign": {}}
    running = 0.0

    def count(of: str, said: dict[str, int]) -> None:
        for status, number in said.items():
            statuses[of][status] = statuses[of].get(status, 0) + number

    def plainly(first: int, number: int) -> None:
        said = json.loads(
            _python(here, "--plain", str(number), "--index", str(first), "--seed", str(seed))
        )
        loop.add(number, said["wall"], said["cpu"])
        count("loop", said["statuses"])

    edges = [programs * at // (2 * rounds) for at in range(2 * rounds + 1)]
    with tempfile.TemporaryDirectory() as out:
        # Half of a round's programs in the plain loop before the campaign has them all, half after.
        for first, middle, last in zip(edges[:-2:2], edges[1:-1:2], edges[2::2], strict=True):
            plainly(first, middle - first)
            took, said = run_campaign(Path(out), seed, last - first, campaign)
            running += took
            count("campaign", said)
            plainly(middle, last - middle)
    for index in range(processes):
        wall, cpu = time.perf_counter(), _cpu()
        _python(here, "--single", "--plain", "1", "--index", str(index), "--seed", str(seed))
        single.add(1, time.perf_counter() - wall, _cpu() - cpu)
    return {
        "schema": 1,
        "plain_loop": {**loop.to_json(), "statuses": statuses["loop"]},
        "process_a_program": single.to_json(),
        "campaign": {**campaign.to_json(), "statuses": statuses["campaign"]},
        "times_plain_loop": campaign.per_second / loop.per_second,
        "times_plain_loop_cpu": loop.cpu_each / campaign.cpu_each,
        "times_process_a_program": campaign.per_second / single.per_second,
        "times_process_a_program_cpu": single.cpu_each / campaign.cpu_each,
        "own_share": 1.0 - running / campaign.cpu,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plain", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--single", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--index", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.plain:
        print(json.dumps(plain_loop(asked.seed, asked.plain, asked.index, warm=not asked.single)))
        return
    figures = measure(asked.seed, asked.programs, asked.rounds, asked.processes)
    if asked.json:
        print(json.dumps(figures))
        return
    for name in ("plain_loop", "process_a_program", "campaign"):
        row = figures[name]
        print(
            f"{name.replace('_', ' '):18} {row['programs']:5} programs"
            f" {row['per_second']:7.2f} a second {row['cpu_each'] * 1000:8.1f} ms CPU each"
        )
    print(
        f"campaign against plain loop: {figures['times_plain_loop']:.2f} times"
        f" (CPU {figures['times_plain_loop_cpu']:.2f})"
    )
    print(
        f"campaign against a process a program: {figures['times_process_a_program']:.1f} times"
        f" (CPU {figures['times_process_a_program_cpu']:.1f})"
    )
    print(f"the framework's own share of CPU: {figures['own_share']:.1%}")


if __name__ == "__main__":
    main()
