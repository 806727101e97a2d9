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
from collections.abc import Iterable

from framefuzz.trace import Divergence
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
# The edges of a snapshot (framefuzz.observe): an attribute, an item, a member of a set, a cell
# of a function, what a weak reference refers to, a key that is no plain value, an iterator's state.
_EDGE = re.compile(
    r"\.(?P<attribute>\w+)"
    r"|(?P<item>\[(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[^\]'\"])*\])"
    r"|(?P<other>\{\d+\}|\(\w*\)|(?:key|value|state) \d+)"
)

# What a side's text opens with (framefuzz.observe.render), and the type that it then is of.
_LITERALS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"(True|False)\b", "bool"),
        (r"None\b", "NoneType"),
        (r"nothing\b", "nothing"),
        (r"<object \d+ again>", "ref"),
        (r"-?\d+(?![\d.eEj])", "int"),
        (r"-?(\d+\.|\d+e|inf\b|nan\b)(?!.*j)", "float"),
        (r"[-(]?[\d.].*j", "complex"),
        (r"b['\"]", "bytes"),
        (r"['\"]", "str"),
        (r"\[", "list"),
        (r"\(", "tuple"),
        (r"\{[^:]+\}", "set"),
        (r"\{", "dict"),
    )
)
_NAMED = re.compile(r"(?:\w+\.)*(?P<type>[A-Za-z_]\w*)")
# "Type('message')" as a value is shown, or "Type: message" as a traceback shows it.
_EXCEPTION = re.compile(
    r"(?:\w+\.)*(?P<type>[A-Za-z_]\w*)(?:: |\((?:\[0\]=)?|\Z)(?P<message>.*)", re.DOTALL
)
_QUOTED = re.compile(r"\A(?P<quote>['\"])(?P<inside>.*?)(?P=quote)?\)?\Z", re.DOTALL)
# A shown value is cut somewhere; this much of a normalized message is there in any case.
_MESSAGE = 80


def sign(divergences: Iterable[Divergence]) -> list[Divergence]:
    """Fill in the signature of every divergence of one judgement; return the one of each event.

    Divergences of one event share the signature of the one returned, its lead.  The leads stand
    in the order in which the events were reported.
    """
    events: dict[tuple[object, ...], list[Divergence]] = {}
    for place, divergence in enumerate(divergences):
        events.setdefault(_event(divergence, place), []).append(divergence)
    leads = []
    for members in events.values():
        lead = lead_of(members)
        name = signature_of(lead)
        for member in members:
            member.signature = name
        leads.append(lead)
    return leads


def lead_of(members: Iterable[Divergence]) -> Divergence:
    """The divergence that names an event: the one of the most specific oracle, else the first."""
    return min(members, key=_rank)


def signature_of(divergence: Divergence) -> str:
    """The signature of one divergence taken by itself."""
    features = features_of(divergence)
    digest = hashlib.sha256("\n".join(features).encode()).hexdigest()[:_DIGITS]
    words = [_slug(word)[:_LONGEST_WORD].strip("-") for word in _readable(divergence)]
    stem = "-".join(word for word in words if word)
    return f"{stem[: LONGEST - _DIGITS - 1].strip('-')}-{digest}"


def features_of(divergence: Divergence) -> tuple[str, ...]:
    """All that distinguishes this divergence from one of another bug, as normalized text.

    Where a wrong guard or the compiler's failure shows in the program's state is chance, and the
    facts say what went wrong; a behaviour, or what comes without facts, has nothing else.
    """
    facts = tuple(normalize(fact) for fact in divergence.facts)
    shown: tuple[str, ...] = ()
    if divergence.oracle == "behaviour" or (divergence.oracle in ONE_EVENT and not facts):
        describe = exception_of if _section(divergence.path) == "exc" else type_of
        sides = (describe(divergence.eager), describe(divergence.subject))
        shown = (path_shape(divergence.path), *sides)
    return (divergence.oracle, divergence.kind, *shown, *facts)


def path_shape(path: str) -> str:
    """A path without names and indices: ``cells['a'][0][1].x`` is ``cells[''][].``.

    A run of one kind of edge counts as one: how deep a program nests its lists says nothing of
    the bug.
    """
    edges: list[str] = []
    for match in _EDGE.finditer(path):
        attribute, item, other = match.group("attribute", "item", "other")
        if attribute is not None:
            telling = attribute in _TELLING_ATTRIBUTES or attribute.startswith("__")
            edge = f".{attribute}" if telling else "."
        elif item is not None:
            edge = "[]" if item[1:-1].isdecimal() else "['']"
        else:
            edge = re.sub(r"\w+(?=\))|\d+", "*", other)
        if not edges or edges[-1] != edge:
            edges.append(edge)
    return _section(path) + "".join(edges)


def type_of(text: str) -> str:
    """The type of the value that a text shows, ``object`` for one of the program's own classes.

    Those are taken to be the capitalized names that are not known (KNOWN_NAMES).
    """
    for pattern, name in _LITERALS:
        if pattern.match(text):
            return name
    match = _NAMED.match(text)
    if match is None:
        return ""
    name = match.group("type")
    return name if name in KNOWN_NAMES or name[0].islower() else "object"


def exception_of(text: str) -> str:
    """An exception's type and normalized message; of any other text the type."""
    match = _EXCEPTION.match(text)
    if match is None or text == "nothing":
        return type_of(text)
    message = _QUOTED.sub(r"\g<inside>", match.group("message"))
    message = message.replace("\\n", "\n").replace("\\'", "'")
    return f"{match.group('type')}: {normalize(message)[:_MESSAGE]}"


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
    section = _section(divergence.path)
    words = [divergence.oracle]
    if divergence.oracle == "behaviour":
        words += [section, divergence.kind, type_of(divergence.subject)]
    else:
        words += [divergence.kind, *(normalize(fact) for fact in divergence.facts[:1])]
    # A kind may name its oracle or section again: say it once.
    return [word for place, word in enumerate(words) if word not in words[:place]]


def _section(path: str) -> str:
    return re.split(r"\W", path, maxsplit=1)[0]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
