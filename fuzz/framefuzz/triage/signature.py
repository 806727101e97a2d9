"""What makes two divergences the same bug, as far as a machine can tell.

A signature is made of the oracle, the kind, the shape of the path, the types of both sides, an
exception's type and normalized message, and the facts that the oracle states.  It holds no value,
index, name of a variable, address, line or counter, so that it is the same in every run, process
and program that shows the bug.  It serves as the name of a folder: ``[a-z0-9-]``, at most
LONGEST characters, the first words for people and the last six digits for the machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from framefuzz.judgement import Judgement
from framefuzz.trace import Divergence
from framefuzz.triage import paths
from framefuzz.triage.normalize import KNOWN_NAMES, normalize

LONGEST = 72
_LONGEST_WORD = 24
_DIGITS = 6

# One event can be seen by several oracles in one call: an internal error also changes what the
# program does, and so does a guard that let a wrong entry through.  The first of these names it.
ONE_EVENT = ("survival", "guards", "behaviour")
# A call can recompile needlessly for several reasons at once; the most telling names it.
RECOMPILE_KINDS = ("same state", "after STEADY", "limit")

# Attributes that are CPython's or torch's and say what differs; any other is the program's.
_TELLING_ATTRIBUTES = frozenset(
    {"grad", "default_factory", "start", "stop", "step", "func", "args", "keywords"}
)
# "returned 3", "raised Type([0]='message')" and "Type: message".
_OUTCOME = re.compile(
    r"returned\b|(?:raised )?(?P<type>[A-Za-z_]\w*)(?:\(\[0\]=|: |\Z)(?P<said>.*)", re.DOTALL
)
_QUOTED = re.compile(r"(?P<quote>['\"])(?P<inside>.*?)(?P=quote)?\)?\Z", re.DOTALL)
# A shown value is cut somewhere; this much of a normalized message is there in any case.
_MESSAGE = 80


def signed(judgements: Sequence[Judgement], subjects: Sequence[str]) -> list[dict[str, Any]]:
    """The judgements of one case as JSON objects, with a signature for all that they found.

    Where ``subjects`` are several, a signature begins with the name of its own.
    """
    for judgement in judgements:
        sign(judgement.divergences, judgement.subject if len(subjects) > 1 else "")
    return [judgement.to_json() for judgement in judgements]


def sign(divergences: Iterable[Divergence], subject: str = "") -> list[Divergence]:
    """Fill in the signature of every divergence of one judgement; return the one of each event.

    ``subject``, where it is given, begins each signature.

    Divergences of one event share the signature of the one returned, its lead.  The leads stand
    in the order in which the events were reported.
    """
    events: dict[tuple[object, ...], list[Divergence]] = {}
    for place, divergence in enumerate(divergences):
        events.setdefault(_event(divergence, place), []).append(divergence)
    leads = []
    for members in events.values():
        lead = lead_of(members)
        name = signature_of(lead, subject)
        for member in members:
            member.signature = name
        leads.append(lead)
    return leads


def lead_of(members: Iterable[Divergence]) -> Divergence:
    """The divergence that names an event: the one of the most specific oracle, else the first."""
    return min(members, key=_rank)


def signature_of(divergence: Divergence, subject: str = "") -> str:
    """The signature of one divergence taken by itself; its digits are the same for any subject."""
    features = features_of(divergence)
    digest = hashlib.sha256("\n".join(features).encode()).hexdigest()[:_DIGITS]
    words = [_slug(word)[:_LONGEST_WORD].strip("-") for word in (subject, *_readable(divergence))]
    stem = "-".join(word for word in words if word)
    return f"{stem[: LONGEST - _DIGITS - 1].strip('-')}-{digest}"


def features_of(divergence: Divergence) -> tuple[str, ...]:
    """All that distinguishes this divergence from one of another bug, as normalized text.

    Where a wrong guard or the compiler's failure shows in the program's state is chance: their
    facts say what went wrong.  The facts of a behaviour are the types of both sides.
    """
    path = path_shape(divergence.path)
    sides = (divergence.eager, divergence.subject)
    features = [divergence.oracle, divergence.kind]
    if divergence.oracle == "behaviour":
        features += [path, *(type_name(fact) for fact in divergence.facts)]
        if path.startswith("exc"):
            features += [message_of(side) for side in sides]
    else:
        features += [normalize(fact) for fact in divergence.facts]
        if not divergence.facts:
            features += [normalize(side)[:_MESSAGE] for side in sides]
    return tuple(features)


def path_shape(path: str) -> str:
    """A path without names and indices: ``cells(a)['k'][0][1].x`` is ``cells()[''][0].x``.

    A run of one kind of edge counts as one: how deep a program nests its lists says nothing of
    the bug.
    """
    section, edges = paths.parse(path)
    shapes: list[str] = []
    for edge in edges:
        shape = _shape(edge)
        if shapes[-1:] != [shape]:
            shapes.append(shape)
    return section + "".join(shapes)


def _shape(edge: paths.Edge) -> str:
    if edge.kind == "attribute":
        telling = edge.text in _TELLING_ATTRIBUTES or edge.text.startswith("__")
        return f".{edge.text}" if telling else ".x"
    if edge.kind == "item":
        return "[0]" if edge.text.isdecimal() else "['']"
    return re.sub(r"\d+", "0", edge.text) if edge.kind == "other" else f"<{edge.kind}>"


def type_name(name: str) -> str:
    """A type's name, ``object`` for one of the program's own classes.

    Those are taken to be the capitalized names that are not known (KNOWN_NAMES).
    """
    return name if name in KNOWN_NAMES or name[:1].islower() else "object"


def message_of(side: str) -> str:
    """What was raised: type and normalized message; just ``returned`` where nothing was."""
    match = _OUTCOME.match(side)
    if match is None:
        # The text of a message by itself.
        return normalize(_unquoted(side))[:_MESSAGE]
    if match.group("type") is None:
        return "returned"
    return f"{match.group('type')}: {normalize(_unquoted(match.group('said')))[:_MESSAGE]}"


def _unquoted(text: str) -> str:
    match = _QUOTED.match(text)
    inside = match.group("inside") if match else text
    return inside.replace("\\n", "\n").replace("\\'", "'")


def _event(divergence: Divergence, place: int) -> tuple[object, ...]:
    if divergence.oracle in ONE_EVENT:
        return ("event", divergence.call)
    if divergence.oracle == "recompile":
        return ("recompile", divergence.call)
    return ("own", place)


def _rank(divergence: Divergence) -> int:
    if divergence.oracle in ONE_EVENT:
        return ONE_EVENT.index(divergence.oracle)
    kinds = RECOMPILE_KINDS
    return kinds.index(divergence.kind) if divergence.kind in kinds else len(kinds)


def _readable(divergence: Divergence) -> list[str]:
    # Of "InternalTorchDynamoError in wrap_fx_proxy" the function says more, in less room.
    facts = [fact.rpartition(" in ")[2] for fact in divergence.facts[:1]]
    words = [divergence.oracle, divergence.kind, *facts]
    if divergence.oracle == "behaviour":
        section, _ = paths.parse(divergence.path)
        types = [type_name(fact) for fact in divergence.facts if fact != "nothing"]
        words = [divergence.oracle, section, divergence.kind, *types[-1:]]
    # A fact may name the kind again: say it once.
    return [normalize(word) for place, word in enumerate(words) if word not in words[:place]]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
