"""The work that a fork server's children do: judge one case, sign what was found."""

from __future__ import annotations

import logging
import warnings
from dataclasses import asdict
from typing import Any

from framefuzz.campaign.warmup import warm_ups
from framefuzz.case import Case
from framefuzz.execute.child import Announce, Item, Job

PREPARE = "framefuzz.campaign.job:prepare"


def prepare(settings: dict[str, Any]) -> tuple[Job, dict[str, Any]]:
    """Load and warm a subject; return the job, and what is to be known of the subject
    where it cannot be loaded: versions, speed-ups, ``in_script``.

    ``settings``: ``subject`` and ``backend`` by name, ``ignore`` and ``strict`` as lists of
    names, ``bulk`` for the speed-ups that only bulk runs may use, ``warm`` (default 0) for the
    number of generated programs to run first, which can end the process as any program can.
    """
    # What compilers say on standard error about the programs is no news here.
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)

    from framefuzz.oracles.judge import Options, judge
    from framefuzz.subjects.registry import load
    from framefuzz.triage.signature import sign

    subject = load(settings["subject"], settings["backend"])
    options = Options(frozenset(settings["ignore"]), frozenset(settings["strict"]))

    def job(item: Item, announce: Announce) -> dict[str, Any]:
        judgement = judge(Case(**item["case"]), subject, options, announce)
        sign(judgement.divergences)
        return judgement.to_json()

    speedups = subject.speed_up() if settings["bulk"] else []
    for case in warm_ups(settings.get("warm", 0)):
        judge(case, subject, options)
    in_script = asdict(subject.in_script) if subject.in_script else None
    return job, {
        "versions": subject.versions(),
        "speedups": speedups,
        "in_script": in_script,
    }
