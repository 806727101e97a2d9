"""What a fork server's children do: judge one case for each subject, sign what was found."""

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
    """Load and warm the subjects; return the job, and what is to be known of the subjects
    where they cannot be loaded: ``in_scripts`` by subject.

    ``settings``: ``subject`` (several with commas) and ``backend`` by name, ``ignore`` and
    ``strict`` as lists of names, ``bulk`` for the speed-ups that only bulk runs may use, ``warm``
    (default 0) for the number of generated programs to run first, which can end the process as
    any program can.
    """
    # What compilers say on standard error about the programs is no news here.
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)

    from framefuzz.oracles.judge import Options, judge_each
    from framefuzz.subjects.isolation import leave_garbage
    from framefuzz.subjects.registry import load, split
    from framefuzz.triage.signature import signed

    names = split(settings["subject"])
    subjects = [load(name, settings["backend"]) for name in names]
    options = Options(frozenset(settings["ignore"]), frozenset(settings["strict"]))

    def job(item: Item, announce: Announce) -> dict[str, Any]:
        judgements = judge_each(Case(**item["case"]), subjects, options, announce)
        return {"judgements": signed(judgements, names)}

    if settings["bulk"]:
        leave_garbage()
        for subject in subjects:
            subject.speed_up()
    for case in warm_ups(settings.get("warm", 0)):
        judge_each(case, subjects, options)
    return job, {"in_scripts": {s.name: asdict(s.in_script) for s in subjects if s.in_script}}
