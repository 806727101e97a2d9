"""The command line: ``framefuzz COMMAND``.

Exit codes, everywhere: 0 nothing new found, 1 divergences found, 2 wrong usage or an unusable
input, 3 the harness itself failed.
"""

from framefuzz.cli.main import main

__all__ = ["main"]
