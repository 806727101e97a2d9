"""Guard verdicts that accepted a call which they should have refused."""

from __future__ import annotations

from collections.abc import Iterator

from framefuzz.observe.render import short
from framefuzz.oracles.evidence import Evidence
from framefuzz.trace import Divergence

NAME = "guards"


def judge(evidence: Evidence) -> Iterator[Divergence]:
    """A call that hit and diverged, and does not when compiled afresh just before it.

    Where it still diverges the translation is wrong, not a guard, and nothing is reported here.
    """
    call = evidence.differing_call
    if evidence.difference is None or not 0 < call < len(evidence.subject.calls):
        return
    failed = evidence.subject.calls[call]
    if failed.verdict.kind != "hit" or evidence.subject.codes_during(call):
        return
    if failed.internal_error:
        # A frame below was being compiled, and that failed: no guard let anything through.
        return
    fresh = evidence.rerun(call)
    if len(fresh.calls) <= call:
        return
    still = evidence.comparison.observations(
        evidence.eager.calls[call].after, fresh.calls[call].after
    )
    if still is not None:
        return
    compiled = _compiled_at(evidence, call)
    changed = evidence.what_changed(compiled, call)
    what = "nothing that was observed" if changed is None else changed.path
    fact = "nothing" if changed is None else _changed_fact(changed.path, changed.kind)
    before, now = (short(changed.eager), short(changed.subject)) if changed else ("", "")
    yield Divergence(
        NAME,
        call,
        what,
        "a refusal: a fresh compile agrees with eager",
        f"accepted by the entry compiled at call {compiled}",
        "accepted wrongly",
        facts=(fact,),
        note=f"{what} had changed since call {compiled}: {before} to {now}" if changed else "",
    )


def _compiled_at(evidence: Evidence, call: int) -> int:
    """The call during which the entry that accepted was compiled.

    That of the first entry whose check accepts, where the compiler shows it; else the last call
    before this one at which the function was compiled.
    """
    for check in evidence.subject.calls[call].checks:
        if check.fast and check.compiled_at >= 0:
            return check.compiled_at
    compiles = [
        past.index
        for past in evidence.subject.calls[:call]
        if past.verdict.kind in ("compile", "recompile")
    ]
    return compiles[-1] if compiles else 0


def _changed_fact(path: str, kind: str) -> str:
    """What sort of captured fact changed, without the program's own names."""
    section = path.partition("(")[0].partition("[")[0].partition(".")[0]
    return f"{section} {kind}"
