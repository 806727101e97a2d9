"""What framejit makes of a call: graphs, breaks, code, guards and verdicts, for people."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any

from framejit import _native as native
from framejit import api, compiler
from framejit.backends import Backend
from framejit.compiler import Compiled, Event, Skipped
from framejit.printing import source_of


@dataclass(frozen=True)
class Explanation:
    """What one call did.

    ``result`` is what it returned, ``error`` what it raised instead; ``verdicts`` are the native
    core's, of all frames of the program that ran.
    """

    result: Any
    error: BaseException | None
    compiled: tuple[Compiled, ...]
    skipped: tuple[Skipped, ...]
    verdicts: tuple[native.Verdict, ...]

    @property
    def breaks(self) -> list[tuple[str, int]]:
        """The graph breaks: reason and line."""
        return [(e.reason, e.line) for e in self.compiled if e.line is not None]

    @property
    def codes(self) -> list[CodeType]:
        """Every code object made, resume functions as they were before they were compiled too."""
        made = [code for event in self.compiled for code in (event.made, *event.resumes)]
        return list({id(code): code for code in made}.values())

    def sources(self) -> list[str]:
        """Every code object made, as source text."""
        names = self._names()
        return [source_of(code, names) for code in self.codes]

    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for event in self.compiled:
            if event.runner is not None:
                names[id(event.runner)] = f"graph_{len(names)}"
        return names

    def __str__(self) -> str:
        names, parts = self._names(), []
        for event in self.compiled:
            parts.append(f"== {event.code.co_name}, line {event.code.co_firstlineno}: compiled")
            if event.line is not None:
                parts.append(f"-- the graph breaks at line {event.line}: {event.reason}")
            parts.append("-- guards")
            parts += [f"{source}: {demand}" for source, demand in event.entry.guards]
            if event.graph is not None and event.runner is not None:
                parts.append(f"-- {names[id(event.runner)]}")
                parts.append(event.graph.code.strip())
            parts.append("-- code")
            parts.append(source_of(event.made, names).rstrip())
        for skip in self.skipped:
            parts.append(f"== {skip.code.co_name}: left to CPython: {skip.reason}")
        for verdict in self.verdicts:
            if verdict.outcome != "skipped":
                failed = "; ".join(str(failure) for _, failure in verdict.failures)
                parts.append(f"== {verdict.code.co_name}: {verdict.outcome} {failed}".rstrip())
        return "\n".join(parts)


def explain(
    function: Any, *args: Any, backend: str | Backend = "eager", **kwargs: Any
) -> Explanation:
    """Call a function compiled, once, and say what was made and decided.

    What was compiled before is used, as in any call: ``framejit.reset()`` first to see it made.
    """
    events: list[Event] = []
    compiler.listeners.append(events.append)
    recorder = native.Recorder()
    result, error = None, None
    compiled = api.compile(function, backend=backend)
    try:
        with recorder:
            result = compiled(*args, **kwargs)
    except Exception as raised:
        error = raised
    finally:
        compiler.listeners.remove(events.append)
    return Explanation(
        result,
        error,
        tuple(event for event in events if isinstance(event, Compiled)),
        tuple(event for event in events if isinstance(event, Skipped)),
        tuple(v for v in recorder.verdicts if v.outcome in ("hit", "compiled", "miss")),
    )
