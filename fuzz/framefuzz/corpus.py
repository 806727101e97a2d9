"""What a corpus case says of itself: where it comes from, what is right, what is known to diverge.

The constants are literals in the case's own file (docs/corpus.md), read from its syntax tree:
a corpus can be listed without running any of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from framefuzz.case import Case, InvalidCase, read_case

_ORIGIN = re.compile(r"pytorch/pytorch#[1-9]\d*|found by framefuzz")


@dataclass(frozen=True)
class OpenEntry:
    """One entry of OPEN: on which versions of which distribution a subject gives which outcome.

    ``outcome`` is the oracle that reports first, or ``vacuous``.
    """

    subject: str
    versions: Requirement
    outcome: str


@dataclass(frozen=True)
class CorpusCase:
    """A case of the corpus with its metadata.

    ``right`` has one text a call; so has ``right_observed``, or it is empty.
    """

    case: Case
    origin: str
    right: tuple[str, ...]
    right_observed: tuple[str, ...]
    open: tuple[OpenEntry, ...]

    def expected(self, subject: str, versions: Mapping[str, str]) -> str:
        """The outcome expected of a subject: ``same``, ``vacuous`` or an oracle's name.

        ``versions`` is what the subject's ``versions()`` gives.  A pre-release counts as the
        release that it leads to.  Raises InvalidCase if an entry names a distribution that is
        not among them, or if two entries hold.
        """
        holding = []
        for entry in self.open:
            if entry.subject != subject:
                continue
            found = versions.get(entry.versions.name)
            if found is None:
                known = ", ".join(versions)
                raise self._bad(f"OPEN: {subject} knows no {entry.versions.name}, only {known}")
            if entry.versions.specifier.contains(Version(found).base_version):
                holding.append(entry)
        if len(holding) > 1:
            both = " and ".join(str(entry.versions) for entry in holding)
            raise self._bad(f"OPEN: {both} hold at once")
        return holding[0].outcome if holding else "same"

    def _bad(self, message: str) -> InvalidCase:
        return InvalidCase(message, self.case.filename)


def corpus_files(folder: Path) -> list[Path]:
    """Every case file of a corpus, sorted by path."""
    return sorted(folder.rglob("*.py"))


def read_corpus_case(path: Path) -> CorpusCase:
    """Read a case and its metadata; raise InvalidCase, naming the line, for what is no such."""
    case = read_case(path)
    constants = _Constants(case)
    if not case.title:
        raise InvalidCase("has no docstring that says what it exercises", case.filename, 1)
    origin = constants.get("ORIGIN")
    if not isinstance(origin, str) or not _ORIGIN.fullmatch(origin):
        raise constants.bad("ORIGIN", "must be 'pytorch/pytorch#NUMBER' or 'found by framefuzz'")
    right = constants.texts("RIGHT")
    return CorpusCase(
        case,
        origin,
        right,
        constants.texts("RIGHT_OBSERVED", len(right)) if constants.has("RIGHT_OBSERVED") else (),
        tuple(
            OpenEntry(subject, constants.requirement(versions), outcome)
            for subject, entries in constants.texts_to("OPEN", constants.get("OPEN", {}))
            for versions, outcome in constants.texts_to("OPEN", entries)
        ),
    )


class _Constants:
    """The constants that a case assigns at module level, and errors that name their lines."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._nodes: dict[str, ast.expr] = {}
        for statement in ast.parse(case.source).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self._nodes[statement.targets[0].id] = statement.value

    def has(self, name: str) -> bool:
        return name in self._nodes

    def get(self, name: str, default: Any = None) -> Any:
        node = self._nodes.get(name)
        if node is None:
            return default
        try:
            return ast.literal_eval(node)
        except ValueError:
            raise self.bad(name, "must be a literal") from None

    def texts(self, name: str, length: int | None = None) -> tuple[str, ...]:
        """A list of texts, one a call."""
        value = self.get(name)
        if not isinstance(value, list) or not value or not all(type(text) is str for text in value):
            raise self.bad(name, "must be a list of one text a call")
        if length is not None and len(value) != length:
            raise self.bad(name, f"has {len(value)} texts, RIGHT {length}")
        return tuple(value)

    def texts_to(self, name: str, value: Any) -> list[tuple[str, Any]]:
        if not isinstance(value, dict) or not all(type(key) is str for key in value):
            raise self.bad(name, "must be a dict with texts as keys")
        return list(value.items())

    def requirement(self, text: str) -> Requirement:
        """A distribution with a range of versions, such as ``torch>=2.13,<2.14``."""
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            requirement = None
        if requirement is None or not requirement.specifier or requirement.marker:
            raise self.bad("OPEN", f"{text!r} is no range of versions such as torch>=2.13,<2.14")
        return requirement

    def bad(self, name: str, message: str) -> InvalidCase:
        node = self._nodes.get(name)
        line = None if node is None else node.lineno
        return InvalidCase(f"{name} {message}", self._case.filename, line)
