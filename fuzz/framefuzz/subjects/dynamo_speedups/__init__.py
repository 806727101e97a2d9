"""Makes compiling faster in bulk runs: leaves out what only feeds Dynamo's own logs, and shortens
what it does over and over.

Each speed-up changes neither the bytecode made nor what a guard decides (the test compares both
with and without), and is left out where this torch does not have what it replaces: torch 2.3
has hardly any of these costs yet.  Never applied where a finding is confirmed.
"""

from framefuzz.subjects.dynamo_speedups.left_out import LEFT_OUT
from framefuzz.subjects.dynamo_speedups.shortened import SHORTENED

SPEEDUPS = LEFT_OUT + SHORTENED


def apply() -> list[str]:
    """Apply, for the rest of this process, every speed-up that this torch has a use for.

    Returns their names.
    """
    return [speedup.name for speedup in SPEEDUPS if speedup.apply()]
