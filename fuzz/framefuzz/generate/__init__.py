"""Writing cases: one grammar, driven by a chooser.

``case_for(seed, index)`` is program number ``index`` of the campaign with that seed: the same
bytes on every machine and Python version, whatever the hash seed.  Nothing here imports torch.
"""

from __future__ import annotations

from framefuzz.case import Case
from framefuzz.generate.chooser import Chooser, SeedChooser
from framefuzz.generate.grammar import Generated, write_case

__all__ = ["Generated", "case_for", "generate", "generated_for", "write_case"]


def generate(chooser: Chooser, name: str) -> Case:
    """Write one case with a chooser's answers."""
    return write_case(chooser, name).case


def generated_for(seed: int, index: int) -> Generated:
    """Program number ``index`` of the campaign with this seed, and the features in it."""
    return write_case(SeedChooser(f"framefuzz {seed} {index}"), f"s{seed}_p{index:05}")


def case_for(seed: int, index: int) -> Case:
    """Program number ``index`` of the campaign with this seed."""
    return generated_for(seed, index).case
